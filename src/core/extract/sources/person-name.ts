import { MAX_LINE_LENGTH, type Normalize, normalizeText, rejectAddresses } from '../reading/normalize.ts'
import { isWeekday } from './weekdays.ts'

/** Words that are often written before a name. */
const PREFIXES: readonly string[] = (
  'story and photos by,written by,posted by,published by,words by,reported by,text by,story by,created by,edited by,' +
  'article by,review by,report by,submitted by,contributed by,authored by,photos by,geschrieben von,verfasst von,' +
  'ein artikel von,eine analyse von,ein kommentar von,ein gastbeitrag von,escrito por,publicado por,postado por,' +
  'écrit par,publié par,rédigé par,proposé par,scritto da,pubblicato da,a cura di,geschreven door,napisane przez,' +
  'skriven av,skrevet av,skrevet af,автор,текст,написал,著者,作者,執筆者,執筆,筆者,記者,文,取材・文,author,authors,autor,' +
  'autoren,autorin,auteur,autore,texte,texto,testo,text,tekst,by,von,par,por,da,di,door,przez,av,af,od,yazan,oleh,penulis'
).split(',')

const PREFIXES_BY_INITIAL = Map.groupBy(PREFIXES, (prefix) => prefix[0]!)

/** Prefixes alone, and other texts in front of names and dates. */
const LABELS: ReadonlySet<string> = new Set([
  ...PREFIXES,
  ...(
    'posted,published,written,updated,date,contact,uncategorized,post,article,publiziert,veröffentlicht,geschrieben,' +
    'aktualisiert,stand,datum,kontakt,beitrag,artikel,publié,mis à jour,contacto,publicado,pubblicato,data,contatti'
  ).split(','),
])

/** Prefixes that no name starts with. They need no separator after them. */
const UNAMBIGUOUS_PREFIXES: ReadonlySet<string> = new Set(['by', ...PREFIXES.filter((prefix) => prefix.includes(' '))])

/** Separators between a prefix and a name. */
const PREFIX_SEPARATORS = ':：●■/／'

/** Names can start with `Von` and `Di`, as in `Di Stefano`. They are removed only before two capitalized words. */
const TWO_CAPITALIZED_WORDS = /^\p{Lu}\S*\s+\S*\p{Lu}/u

/** Text that content management systems write when they have no name. */
const PLACEHOLDER_NAMES: ReadonlySet<string> = new Set(
  (
    'null,undefined,none,nil,nan,admin,administrator,administrador,root,unknown,anonymous,author,authors,user,users,' +
    'guest,editor,webmaster,default,test,staff,autor,auteur,autore,redaktion,редакция,n/a,na,object,true,false,' +
    'no author,not available,no name,your name,site admin,super user,super admin,web master,[object object]'
  ).split(','),
)

/** Words of links to an author's page: "About the author", "Alle Artikel von". */
const LINK_WORDS: ReadonlySet<string> = new Set(
  (
    'about view see more all post posts article articles follow profile author authors autor autors autoren autorin ' +
    'auteur auteurs auteure autore autori автор автора авторе über alle artikel beiträge voir tous articles ver todos ' +
    'todas artículos entradas tutti articoli bekijk visa inlägg zobacz wszystkie записи все propos informazioni sobre ' +
    'acerca archive archives'
  ).split(' '),
)
const LINK_PARTS = ['著者', '作者', 'の投稿', 'の記事', '一覧', 'プロフィール', '投稿者']

const EMAIL = /[^\s@]@[^\s@]+\.[a-z]{2,}/i

/** One person's name, or a text with several. */
export const normalizeName: Normalize = (value) => {
  const text = normalizeLine(value)
  if (text === undefined) return undefined
  const name = nameIn(text)
  return name === '' || isNotAName(name) ? undefined : name
}

/** The title of a link to the author: a name, or a link text such as "About the author", which is rejected. */
export const normalizeLinkTitle: Normalize = (value) => {
  const name = normalizeName(value)
  return name === undefined || isLinkText(name) ? undefined : name
}

const normalizeLine = rejectAddresses(normalizeText(MAX_LINE_LENGTH))

/** Joins names with commas, without duplicates. */
export function joinNames(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const seen = new Map<string, string>()
  for (const name of names) if (!seen.has(name.toLowerCase())) seen.set(name.toLowerCase(), name)
  return [...seen.values()].join(', ')
}

/** Whether a text describes a link rather than naming a person. */
function isLinkText(text: string): boolean {
  const words = text.toLowerCase().split(/[\s'’,.:]+/)
  return words.some((word) => LINK_WORDS.has(word)) || LINK_PARTS.some((part) => text.includes(part))
}

function nameIn(text: string): string {
  const name = withoutPrefix(text)
  // `Name / Job` and `Name | Site`; `AFP/dpa` has no spaces.
  return withoutSeparators(name.split(/ [/|／｜] /, 1)[0]!)
}

/** Removes "By", "Written by", "Autor:" … */
function withoutPrefix(text: string): string {
  const candidates = PREFIXES_BY_INITIAL.get(text[0]!.toLowerCase())
  if (candidates === undefined) return text
  const lower = text.toLowerCase()
  const prefix = candidates.find((one) => lower.startsWith(one) && !isWordCharacter(text.charAt(one.length)))
  if (prefix === undefined) return text
  const rest = text.slice(prefix.length).trimStart()
  if (rest === '') return text
  if (PREFIX_SEPARATORS.includes(rest[0]!)) return rest.slice(1).trimStart()
  const isPrefix = UNAMBIGUOUS_PREFIXES.has(prefix) || (prefix.length <= 5 && TWO_CAPITALIZED_WORDS.test(rest))
  return isPrefix && rest.length < text.length - prefix.length ? rest : text
}

function isWordCharacter(character: string): boolean {
  return character !== '' && /[\p{L}\d]/u.test(character)
}

const SEPARATORS = ' ,;:|·•—–-'

/** Removes separators around a name. */
function withoutSeparators(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && SEPARATORS.includes(text[start]!)) start++
  while (end > start && SEPARATORS.includes(text[end - 1]!)) end--
  return text.slice(start, end)
}

function isNotAName(name: string): boolean {
  const lower = name.toLowerCase()
  if (PLACEHOLDER_NAMES.has(lower) || LABELS.has(lower) || isWeekday(lower) || !/\p{L}/u.test(name)) return true
  if (name.includes('@') && (!name.includes(' ') || EMAIL.test(name))) return true
  return name.includes('://') || name.includes('www.')
}
