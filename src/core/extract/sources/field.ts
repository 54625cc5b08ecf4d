import { getDomainWithoutSuffix } from 'tldts'

import {
  type Normalize,
  normalizePlainText,
  normalizeText,
  rejectAddresses,
  withoutTags,
  MAX_DESCRIPTION_LENGTH,
  MAX_LINE_LENGTH,
  MAX_TITLE_LENGTH,
} from '../reading/normalize.ts'
import { splitPrefix } from './byline-words.ts'
import { openGraphLocale } from './locale.ts'
import { isNoScriptTitle } from './no-script-title.ts'
import { normalizeName } from './person-name.ts'
import { lettersOf } from './site-name.ts'
import type { Source, SourcePage } from './sources.ts'

export interface Field {
  /** The name in the response; `meta.author` is the member `author` of the object `meta`. */
  path: string
  /** Cleans and checks a source's values. */
  kind: FieldKind
  /** What to use of a value that is used only if no source has a better one; undefined for a good value. */
  fallbackFor?: (value: string, page: SourcePage) => string | undefined
  /** Whether one word is too vague to replace a fallback. */
  needsWords?: boolean
  /** In order of precedence: the first source with an acceptable value wins. */
  sources: readonly Source[]
}

export type FieldKind = (page: SourcePage) => Normalize

const normalizeTitle = normalizePlainText(MAX_TITLE_LENGTH)
const normalizeDescription = normalizePlainText(MAX_DESCRIPTION_LENGTH)
const normalizeLine = normalizeText(MAX_LINE_LENGTH)

export const title: FieldKind = () => (value) => (isNoScriptTitle(value) ? undefined : normalizeTitle(value))
export const description: FieldKind = () => normalizeDescription
/** Separators and blanks, as after the name of a site whose slogan is missing: `Example |`. */
const TRAILING_SEPARATORS = /[\s|–—·•»-]+$/
/** The name of a site: no address, and without a separator at its end. */
export const siteName: FieldKind = () =>
  rejectAddresses((value) => normalizeLine(value.replace(TRAILING_SEPARATORS, '')))
/** A language, with the country if it is known: `en_US`. */
export const locale: FieldKind = () => openGraphLocale
/** Names and types. */
export const line: FieldKind = () => normalizeLine
/** A name, or several, without the site's name after them: "Jo Doe, Example". */
export const personName: FieldKind = (page) => (value) => {
  const name = normalizeName(withoutTags(value))
  return name?.endsWith(`, ${page.siteName}`) === true ? normalizeName(name.slice(0, -page.siteName.length - 2)) : name
}
/**
 * Images that show nothing: spacers, by the name of the file; the image that WordPress names for posts without an image;
 * and the images with which analytics services count visits.
 */
const BLANK_IMAGE =
  /\/(?:spacer|pixel|blank|transparent|clear|1x1|1px)\.(?:gif|png)(?:[?#]|$)|^https?:\/\/(?:s0\.wp\.com\/i\/blank\.jpg|www\.facebook\.com\/tr\b|pixel\.wp\.com\/|s?b\.scorecardresearch\.com\/|bat\.bing\.com\/|px\.ads\.linkedin\.com\/|(?:www\.)?google-analytics\.com\/)/i

/** An absolute http(s) URL of an image that is not blank. */
export const image: FieldKind = (page) => (value) => {
  const url = page.resolveFile(value)
  return url === undefined || BLANK_IMAGE.test(url) ? undefined : url
}
/** An absolute http(s) URL of an icon. */
export const iconAddress: FieldKind = (page) => (value) => page.resolveFile(value)
/** An absolute http(s) URL. */
export const address: FieldKind = (page) => (value) => page.resolve(value)

/** Names of editorial offices, in lower case. */
const OFFICES: ReadonlySet<string> = new Set(
  'redaktion,redaktionen,redactie,redazione,redacción,redação,rédaction,la rédaction,redakcja,редакция,редакція,staff,agencies'.split(
    ',',
  ),
)

/** An author that is the site itself, its editorial office or the name of an account. */
export function siteOrHandle(value: string, page: SourcePage): string | undefined {
  return isSiteOrHandle(value, page) ? value : undefined
}

function isSiteOrHandle(value: string, page: SourcePage): boolean {
  const person = splitPrefix(value)?.rest || value
  if (/^[a-z\d_.-]+$/.test(person) || OFFICES.has(person.toLowerCase())) return true
  const name = lettersOf(value)
  const site = lettersOf(page.siteName)
  if (site.length > 2 && (name.startsWith(site) || site.startsWith(name) || site.endsWith(name))) return true
  return page.hostnames.some((host) => isNamedAfter(value, name, host))
}

/** Whether a name is the name of a domain, alone or with words around it: "Die Zeit" and "Zeit Online" of zeit.de. */
function isNamedAfter(value: string, name: string, hostname: string): boolean {
  const host = hostname.replaceAll('-', '')
  // Most names have no part of the host in them.
  if (!host.includes(name.slice(0, 3)) && !host.includes(name.slice(-3))) return false
  const domain = lettersOf(getDomainWithoutSuffix(hostname) ?? '')
  if (hostname.split('.').includes(name) || value.toLowerCase().split(/[^\p{L}\d]/u, 1)[0] === domain) return true
  return domain.length > 3 && (name.startsWith(domain) || name.endsWith(domain))
}

/** A description that is only the name of the site, or WordPress's text for posts without a description. */
export function siteOrFiller(value: string, page: SourcePage): string | undefined {
  return value === 'Visit the post for more.' || value === page.siteName ? value : undefined
}

export interface FieldValue {
  value: string
  source: Source
  isFallback: boolean
}

/** One word in a language with spaces. In the body, one word is too often a label to replace the fallback. */
const ONE_WORD = /^\p{Script=Latin}\S*$/u

/** The first value that a source has and the field accepts. @param withGuesses includes sources with `isGuess` */
export function findValue(
  { kind, fallbackFor, needsWords = false, sources }: Field,
  page: SourcePage,
  withGuesses = true,
): FieldValue | undefined {
  const normalize = kind(page)
  let current: Source
  let fallback: FieldValue | undefined
  let last: string | undefined
  let lastAccepted: string | undefined
  const accept: Normalize = (text) => {
    // Sources repeat names, and JSON-LD reads a single author twice.
    if (text === last) return lastAccepted
    last = text
    lastAccepted = undefined
    const accepted = normalize(text)
    if (accepted === undefined) return undefined
    const lesser = fallbackFor?.(accepted, page)
    if (lesser !== undefined) fallback ??= { value: lesser, source: current, isFallback: true }
    else if (fallback === undefined || !needsWords || !ONE_WORD.test(accepted)) lastAccepted = accepted
    return lastAccepted
  }
  for (const source of sources) {
    if (source.isGuess === true && !withGuesses) break
    current = source
    const value = source.find(page, fallbackFor === undefined ? normalize : accept)
    if (value !== undefined) return { value, source, isFallback: false }
  }
  return fallback
}
