import { isRecord, parsedJson } from '../core/json.ts'
import { ACCEPT_LANGUAGE_RULE, parseAcceptLanguage } from '../core/net/language.ts'
import { parseEgressProxy } from '../core/net/egress-proxy.ts'
import { comparableName } from '../core/net/local-name.ts'
import type { SiteRule, SiteWalls } from '../core/sites/site-rule.ts'
import { userAgent } from './parse.ts'
import { readTextFile } from './text-file.ts'

/** A larger file is probably not a file of rules. */
const MAX_FILE_BYTES = 1024 * 1024

/** Browsers refuse longer cookies (RFC 6265bis section 5.6), and many servers longer headers. */
const MAX_PAIR_CHARACTERS = 4_096

/** Bounds the work per request, because every request is matched against all rules. */
const MAX_RULES = 1_000

/** Reads the operator's rules for sites, or returns all problems with their location: `[0].render: expected …`. */
export function readSitesFile(path: string): { rules: readonly SiteRule[] } | { errors: readonly string[] } {
  const read = readTextFile(path, MAX_FILE_BYTES) ?? { error: 'cannot be read (ENOENT)' }
  if ('error' in read) return { errors: [read.error] }
  const json = parsedJson(read.value)
  return json === undefined ? { errors: ['is not valid JSON'] } : parseSites(json)
}

export function parseSites(json: unknown): { rules: readonly SiteRule[] } | { errors: readonly string[] } {
  if (!Array.isArray(json)) return { errors: ['expected an array of rules'] }
  if (json.length > MAX_RULES) return { errors: [`expected at most ${MAX_RULES} rules`] }
  const errors: string[] = []
  const report = (place: string, problem: string) => void errors.push(`${place}: ${problem}`)
  const rules = json.map((value, index) => RULE(value, `[${index}]`, report)) as SiteRule[]
  return errors.length > 0 ? { errors } : { rules }
}

/** Returns the parsed value, or reports the expected format, but not the value, which may be a secret. */
type Check = (value: unknown, place: string, report: (place: string, problem: string) => void) => unknown

/** A value that `parse` accepts. Returns the parsed value. */
function valid(description: string, parse: (value: unknown) => unknown): Check {
  return (value, place, report) => parse(value) ?? report(place, `expected ${description}`)
}

function text(description: string, parse: (value: string) => unknown): Check {
  return valid(description, (value) => (typeof value === 'string' ? parse(value) : undefined))
}

function objectOf(fields: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  return (value, place, report) => {
    if (!isRecord(value)) return report(place, 'expected an object')
    for (const name of required) if (!(name in value)) report(`${place}.${name}`, 'is missing')
    const parsed = Object.entries(value).map(([name, part]) => {
      const unknown: Check = (_, at) => report(at, `unknown, expected ${Object.keys(fields).join(', ')}`)
      const check = Object.hasOwn(fields, name) ? fields[name]! : unknown
      return [name, check(part, `${place}.${name}`, report)]
    })
    return Object.fromEntries(parsed)
  }
}

function listOf(item: Check): Check {
  return (value, place, report) => {
    if (!Array.isArray(value) || value.length === 0) return report(place, 'expected a non-empty array')
    return value.map((part, index) => item(part, `${place}[${index}]`, report))
  }
}

/** Names with their values, each pair at most 4096 characters. Names in `reserved`, in lower case, are refused. */
function namedTexts(name: RegExp, value: RegExp, reserved: readonly string[]): Check {
  return (object, place, report) => {
    if (!isRecord(object)) return report(place, 'expected an object')
    for (const [key, part] of Object.entries(object)) {
      const at = `${place}[${JSON.stringify(key)}]`
      if (!name.test(key)) report(at, 'expected a name of letters, digits and hyphens')
      else if (reserved.includes(key.toLowerCase())) report(at, 'cannot be set here')
      else if (typeof part !== 'string' || !value.test(part)) report(at, 'expected visible ASCII characters')
      else if (key.length + part.length > MAX_PAIR_CHARACTERS)
        report(at, `expected at most ${MAX_PAIR_CHARACTERS} characters`)
    }
    return object
  }
}

const oneOf = (...words: readonly string[]) => text(words.join(' or '), (word) => words.find((one) => one === word))
const anyText = text('a non-empty string', (value) => value.trim() || undefined)

const isStatus = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 200 && value <= 999

const WALLS = objectOf({
  titles: listOf(anyText),
  challengeTitles: listOf(anyText),
  challengeStatuses: listOf(valid('a status from 200 to 999', (value) => (isStatus(value) ? value : undefined))),
  challengePaths: listOf(text('a path that begins with /', (path) => (path.startsWith('/') ? path : undefined))),
} satisfies Record<keyof SiteWalls, Check>)

/** Headers that urlmeta sets itself. Cookies and the User-Agent have their own fields. */
const RESERVED_HEADERS = (
  'accept-encoding connection content-length cookie expect host keep-alive proxy-connection te trailer ' +
  'transfer-encoding upgrade user-agent'
).split(' ')

const FIELDS: Readonly<Record<keyof SiteRule, Check>> = {
  hosts: listOf(text('a host name such as example.com, or *.example.com, without a port', hostPattern)),
  userAgent: text('at most 512 printable ASCII characters', (value) => {
    const parsed = userAgent(value)
    return 'value' in parsed ? parsed.value : undefined
  }),
  language: text(ACCEPT_LANGUAGE_RULE, (value) => parseAcceptLanguage(value) ?? undefined),
  // RFC 9110 section 5.6.2: a token.
  headers: namedTexts(/^[!#$%&'*+.^_`|~\w-]+$/, /^[\x20-\x7e]*$/, RESERVED_HEADERS),
  // RFC 6265 section 4.1.1: cookie-octets.
  cookies: namedTexts(/^[!#$%&'*+.^_`|~\w-]+$/, /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/, []),
  insecure: valid('true or false', (value) => (typeof value === 'boolean' ? value : undefined)),
  walls: WALLS,
  oembed: text('off or an https URL without a user name and password', (value) =>
    value === 'off' || isEndpoint(URL.parse(value)) ? value : undefined,
  ),
  render: oneOf('always', 'never'),
  read: oneOf('head', 'whole'),
  egressProxy: text('direct, or http://, https:// or socks5://[user:password@]host:port', (value) =>
    value === 'direct' ? value : (parseEgressProxy(value) ?? undefined),
  ),
}

const RULE = objectOf(FIELDS, ['hosts'])

function isEndpoint(url: URL | null): boolean {
  return url?.protocol === 'https:' && url.username === '' && url.password === ''
}

/** A host name as in URLs: in lower case, international names in ASCII; undefined if invalid. */
function hostPattern(pattern: string): string | undefined {
  const [, wildcard = '', name = ''] = /^(\*\.)?([^*:/\\?#@\s]+)$/.exec(pattern) ?? []
  const hostname = name === '' ? '' : comparableName(URL.parse(`http://${name}/`)?.hostname ?? '')
  return hostname === '' ? undefined : wildcard + hostname
}

/** A rule for display: values of headers and cookies are masked, and so are a proxy's credentials. */
export function maskedRule({ headers, cookies, egressProxy, ...rest }: SiteRule): Record<string, unknown> {
  return {
    ...rest,
    ...(headers && { headers: masked(headers) }),
    ...(cookies && { cookies: masked(cookies) }),
    ...(egressProxy && { egressProxy: typeof egressProxy === 'string' ? egressProxy : proxyUrl(egressProxy) }),
  }
}

function masked(secrets: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(secrets).map((name) => [name, '••••']))
}

function proxyUrl({ protocol, host, port, credentials }: Exclude<SiteRule['egressProxy'], string | undefined>) {
  return `${protocol}://${credentials === null ? '' : '••••@'}${host}:${port}`
}
