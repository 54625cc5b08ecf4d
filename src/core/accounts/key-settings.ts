import labels from './key-settings.json'
import {
  type Address,
  type AddressRange,
  formatAddressRange,
  isInRange,
  parseAddress,
  parseAddressRange,
} from '../net/address.ts'
import { AppError, type ErrorKind } from '../errors.ts'
import { mapNames } from '../map-names.ts'
import { comparableName, matchesHost, MAX_NAME_CHARACTERS } from '../net/local-name.ts'
import { EXPECTED_ORIGIN, parseWebOrigin } from '../net/web-origin.ts'
import { EXPECTED_DATE, expiryDayOf, parseExpiryDay } from './key-expiry.ts'
import { MAX_KEY_NAME_CHARACTERS, parseKeyName } from './key-name.ts'
import { parseUrl } from '../web-url.ts'

/** A setting of a key, as a field of a form and as an option of commands. */
export interface KeySetting<Value> {
  /** The name of the field and of the option: `hosts` for `--hosts`. */
  field: string
  label: string
  hint: string
  type: 'text' | 'date' | 'lines'
  /** The maximum length of the field, in characters. */
  maxLength?: number | undefined
  /** The name of the argument, as in `--hosts <list>`. */
  argument: string
  help: string
  /** The word that removes the setting, and the error for an empty option; null for a setting that every key has. */
  none: { word: string; error: string } | null
  /** Parses the text of a field; '' removes an optional setting. @throws AppError `invalid_request` */
  parse: (text: string, nowMs: number) => Value
  /** The text of a field: the inverse of `parse`. */
  format: (value: Value) => string
}

/** A list that restricts a key. An empty list allows everything. */
interface AllowList extends Pick<KeySetting<readonly string[]>, 'field' | 'label' | 'hint' | 'help'> {
  /** A valid entry in words, for error messages: `a host such as example.com`. */
  expected: string
  /** Normalizes an entry; null for an invalid one. */
  parseEntry: (entry: string) => string | null
  /** The error for a request that the list does not allow. Clients and the documentation rely on its message. */
  refusal: readonly [ErrorKind, message: string]
}

/** Each list is a column of the same name. */
const ALLOW_LISTS = {
  allowedHosts: {
    ...labels.allowedHosts,
    parseEntry: parseAllowedHost,
    refusal: ['host_not_allowed', 'Host not allowed for this key'],
  },
  allowedAddresses: {
    ...labels.allowedAddresses,
    parseEntry: parseAllowedRange,
    refusal: ['client_not_allowed', 'Client address not allowed for this key'],
  },
  /** Origins of pages with which browsers may use the key: `https://app.example`. Such a key is public. */
  allowedOrigins: {
    ...labels.allowedOrigins,
    expected: EXPECTED_ORIGIN,
    parseEntry: parseWebOrigin,
    refusal: ['origin_not_allowed', 'Origin not allowed for this key'],
  },
} as const satisfies Record<string, AllowList>

export type AllowLists = Record<keyof typeof ALLOW_LISTS, readonly string[]>

/** The kinds of errors for requests that a list does not allow. */
export type RestrictionRefusal = (typeof ALLOW_LISTS)[keyof AllowLists]['refusal'][0]

export const ALLOW_LIST_NAMES = Object.keys(ALLOW_LISTS) as (keyof AllowLists)[]

export const mapAllowLists = <T>(valueOf: (name: keyof AllowLists) => T) => mapNames(ALLOW_LIST_NAMES, valueOf)

/** The settings of a key that its owner can change. Each setting is a column of the same name. */
export interface KeySettings extends AllowLists {
  name: string
  /** Unix milliseconds from which the key is refused; null for a key that does not expire. */
  expiresAtMs: number | null
}

export const UNRESTRICTED: Omit<KeySettings, 'name'> = { expiresAtMs: null, ...mapAllowLists(() => []) }

/**
 * All settings, in the order of forms. Forms, options of commands, JSON, rotation and lookups of keys derive from
 * this table.
 */
export const KEY_SETTINGS: { readonly [Name in keyof KeySettings]: KeySetting<KeySettings[Name]> } = {
  name: {
    ...labels.name,
    type: 'text',
    maxLength: MAX_KEY_NAME_CHARACTERS,
    none: null,
    parse: parseKeyName,
    format: (name) => name,
  },
  expiresAtMs: {
    ...labels.expiresAtMs,
    type: 'date',
    none: { word: 'never', error: EXPECTED_DATE },
    parse: parseExpiryDay,
    format: expiryDayOf,
  },
  ...mapAllowLists((name) => allowListSetting(ALLOW_LISTS[name])),
}

export const KEY_SETTING_NAMES = Object.keys(KEY_SETTINGS) as (keyof KeySettings)[]

export const mapKeySettings = <T>(valueOf: (name: keyof KeySettings) => T) => mapNames(KEY_SETTING_NAMES, valueOf)

/** Drops all other properties of a key. */
export function keySettingsOf(key: KeySettings): KeySettings {
  return mapKeySettings((name) => key[name]) as KeySettings
}

/** The maximum number of entries of an allow-list. Each request with the key is compared with all entries. */
export const MAX_ALLOWED = 50

/** A name, or an IPv6 address in brackets; without port, path or user. */
const HOST = /^(?:\[[\da-f:.]+\]|[^\s/?#@:\\[\]*%]+)$/i

/** A name with an empty label, such as `a..example`. The WHATWG parser accepts it; DNS does not. */
const EMPTY_LABEL = /^$|^\.|\.\.|\.$/

/** A host or a wildcard, normalized like hosts in the WHATWG URL parser. */
function parseAllowedHost(entry: string): string | null {
  const isWildcard = entry.startsWith('*.')
  const name = isWildcard ? entry.slice(2) : entry
  const host = comparableName((HOST.test(name) && parseUrl(`http://${name}/`)?.hostname) || '')
  if (host.length > MAX_NAME_CHARACTERS || EMPTY_LABEL.test(host)) return null
  if (!isWildcard) return host
  // An address has no subdomains.
  return parseAddress(host) === null && !host.startsWith('[') ? `*.${host}` : null
}

function parseAllowedRange(entry: string): string | null {
  const range = parseAddressRange(entry)
  return range && formatAddressRange(range)
}

/** Error messages repeat at most this much of an entry. */
const MAX_QUOTED_CHARACTERS = 80

/** Commas or white space separate the entries. */
function allowListSetting(list: AllowList): KeySetting<readonly string[]> {
  const { expected, parseEntry, refusal: _refusal, ...texts } = list
  return {
    ...texts,
    type: 'lines',
    argument: 'list',
    none: { word: 'any', error: 'Must not be empty; use any for no restriction' },
    format: (entries) => entries.join('\n'),
    parse(text) {
      const parsed = new Set<string>()
      const entries = new Set(text.split(/[\s,]+/).filter(Boolean))
      // Counted before parsing, because a form can have 100,000 entries.
      if (entries.size > MAX_ALLOWED)
        throw new AppError('invalid_request', `At most ${MAX_ALLOWED} ${list.field} are allowed`)
      for (const entry of entries) {
        const value = parseEntry(entry)
        if (value === null) {
          const quoted = JSON.stringify(entry.slice(0, MAX_QUOTED_CHARACTERS))
          throw new AppError('invalid_request', `Expected ${expected}, got ${quoted}`)
        }
        parsed.add(value)
      }
      return [...parsed]
    },
  }
}

export function notAllowed(list: keyof AllowLists): AppError {
  const [kind, message] = ALLOW_LISTS[list].refusal
  return new AppError(kind, message)
}

/** An empty list allows every host. */
export function isHostAllowed(url: Pick<URL, 'hostname'>, allowedHosts: readonly string[]): boolean {
  if (allowedHosts.length === 0) return true
  const name = comparableName(url.hostname)
  return allowedHosts.some((allowed) => matchesHost(allowed, name))
}

/**
 * `client` returns null for an unknown address, which is not allowed. An empty list allows every client, and `client`
 * is not called.
 */
export function isClientAllowed(client: () => Address | null, allowedRanges: readonly AddressRange[]): boolean {
  if (allowedRanges.length === 0) return true
  const address = client()
  return address !== null && allowedRanges.some((range) => isInRange(address, range))
}

/** Whether the key is limited to pages of some origins. Every visitor of such a page can read the key. */
export const isBrowserKey = ({ allowedOrigins }: Pick<AllowLists, 'allowedOrigins'>) => allowedOrigins.length > 0

/**
 * Errors for requests that no browser key allows, regardless of the page. Clients and the documentation rely on these
 * messages.
 */
export const BROWSER_KEY_REFUSALS = {
  method: 'Only GET is allowed with this key',
  cache: 'Invalid cache: must be true with this key',
}

/** Parses stored ranges, once for many requests. */
export function rangesOf(allowedAddresses: readonly string[]): AddressRange[] {
  return allowedAddresses.map((text) => {
    const range = parseAddressRange(text)
    // An unknown entry must not make the list empty, which would allow every address.
    if (range === null) throw new Error(`not an address range: ${text}`)
    return range
  })
}
