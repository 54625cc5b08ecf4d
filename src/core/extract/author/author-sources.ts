import { firstOf } from '../../first-of.ts'
import type { Fragment, MarkedName, NameMark } from '../reading/fragment.ts'
import type { Mark } from '../reading/marked-elements.ts'
import type { Normalize } from '../reading/normalize.ts'
import { hasOtherWord, isAuthorLabel, PREPOSITIONS, splitPrefix } from '../sources/byline-words.ts'
import { joinNames, normalizeName } from '../sources/person-name.ts'
import {
  catalogAuthors,
  citationAuthors,
  itempropAuthors,
  jsonLdNames,
  linkTitle,
  meta,
  metaAuthors,
  metas,
  type Source,
  type SourcePage,
} from '../sources/sources.ts'
import { shortName, visibleName, withoutDateBefore } from './visible-name.ts'

/* Sources of authors in the markup of the body. */

/** The maximum number of elements with the same mark to read. */
const MAX_ELEMENTS = 4

/** The maximum number of texts of a byline to read, and of names with the same mark. */
const MAX_TEXTS = 15
const MAX_NAMES = 5

/** The maximum distance between links to the authors of one article. */
const MAX_BYTES_BETWEEN = 500

/** The marks of names in a byline, most reliable first. */
const NAME_MARKS: readonly NameMark[] = ['fn', 'itemprop', 'relation', 'page']

/** Text between the names of two authors. */
const JOINER = /^(?:,|&|\/|;|and|und|et|y|e|og|och|en|i|и|、|・)$/iu

/** Digits of a date or time in front of "By". */
const TIME_BEFORE = /^[\d\s.:,/|–-]+(?:uhr\s+)?/i

/** A first and a last name, or a name in a script without capitals. */
const TWO_NAMES = /^\p{Lu}\S*\s.*\p{Lu}|^\p{Lo}/u

/** The name of an account, and what tells it from the first word of a text: a small letter at its start, or a digit. */
const ACCOUNT = /^[a-z][\w.-]{3,29}$/i
const UNLIKE_WORD = /^[a-z]|\d/

/** Paths of threads: vBulletin, phpBB, FluxBB, UBB.threads; XenForo, Invision, NodeBB, Vanilla, Discourse. */
const THREAD = /\/(?:showthread|viewtopic|ubbthreads)\.php|\/(?:threads?|topics?|discussions?|t)\//

/** The maximum distance from the headline to the account of an author. Below an article, accounts are those of readers. */
const MAX_BYTES_TO_ACCOUNT = 4_096

/** `<a rel="author">`: the first one outside comments and other items, and other such links closely after it. */
const authorLink: Source = {
  label: 'rel author',
  find(page, normalize) {
    const names: string[] = []
    let end = Infinity
    for (const { start, fragment } of page.body.marked('author link', MAX_ELEMENTS)) {
      const name = fragment === null || start > end ? undefined : shortName(fragment.texts.join(' '), normalize)
      if (name === undefined) continue
      names.push(name)
      end = start + MAX_BYTES_BETWEEN
    }
    return joinNames(names)
  },
}

/** hCard: http://microformats.org/wiki/hcard */
const hCardAuthor: Source = {
  label: 'hcard author',
  find: (page, normalize) =>
    firstName(page, 'author class', ({ names }) => namesOf(names.fn, (text) => shortName(text, normalize))),
}

/** Visible text: an element with a class or id such as `byline`, "By" after the headline, or a link to an author. */
const byline: Source = {
  label: 'byline',
  find(page, normalize) {
    const inByline = firstName(page, 'author class', (fragment) => nameInByline(fragment, normalize))
    if (inByline !== undefined) return inByline ?? undefined
    return (
      nameAfterBy(page.body.afterHeadline.texts, normalize) ??
      firstName(page, 'meta class', ({ texts }) => nameAfterBy(texts, normalize), 1) ??
      firstName(page, 'author path', ({ texts }) => visibleName(texts.join(' '), normalize)) ??
      memberName(page, normalize)
    )
  },
}

/** The first label and text of a Twitter card. WordPress plugins put the author there. */
const labeledAuthor: Source = {
  label: 'twitter:data1',
  metaNames: ['twitter:label1', 'twitter:data1', 'twitter:data2'],
  find(page, normalize) {
    const text = (name: string) => page.meta(name, (value) => value.trim() || undefined)
    const label = text('twitter:label1')?.toLowerCase()
    const data = text('twitter:data1')
    if (label === undefined || data === undefined) return undefined
    // The same plugins write the reading time in the second pair, in any language: "5 minutes".
    const isBesideReadingTime = /^\d{1,3} \p{L}+/u.test(text('twitter:data2') ?? '') && !/\d/.test(data)
    return isAuthorLabel(label) || isBesideReadingTime ? normalize(data) : undefined
  },
}

/** Metadata first, then marked elements of the body, then visible text. */
export const AUTHOR_SOURCES: readonly Source[] = [
  jsonLdNames('author'),
  metaAuthors('article:author'),
  metaAuthors('author'),
  ...metas('article:author:name og:article:author og:author book:author articleAuthor'),
  ...'citation_author citation_authors'.split(' ').map(citationAuthors),
  ...'dc.creator dcterms.creator'.split(' ').map(catalogAuthors),
  ...'parsely-author sailthru.author cXenseParse:author'.split(' ').map(metaAuthors),
  meta('branch:deeplink:authorName1'),
  labeledAuthor,
  meta('byl'),
  jsonLdNames('creator'),
  itempropAuthors,
  linkTitle('author'),
  authorLink,
  hCardAuthor,
  byline,
]

/** The first account of a thread, or near the headline. */
function memberName(page: SourcePage, normalize: Normalize): string | undefined {
  const isThread = THREAD.test(page.url.pathname)
  return firstOf(page.body.marked('account class', 1), ({ fragment, distance }) => {
    const text = fragment?.texts.length === 1 && (isThread || distance < MAX_BYTES_TO_ACCOUNT) ? fragment.texts[0]! : ''
    return visibleName(text, normalize) ?? soleAccount(text, normalize)
  })
}

function firstName<Name>(
  page: SourcePage,
  mark: Mark,
  read: (fragment: Fragment) => Name | undefined,
  max = MAX_ELEMENTS,
): Name | undefined {
  return firstOf(page.body.marked(mark, max), ({ fragment }) => (fragment === null ? undefined : read(fragment)))
}

function namesOf(marked: readonly MarkedName[] = [], normalize: Normalize): string | undefined {
  const own = marked.slice(0, MAX_NAMES).filter(({ before }) => !isOfAnother(before))
  return joinNames(own.map(({ text }) => normalize(text)).filter((name) => name !== undefined))
}

/** Whether a text is about somebody else: "Reviewed by". */
const isOfAnother = (text: string) => splitPrefix(text.replace(/^[^\p{L}]+/u, ''))?.kind === 'role'

/**
 * The marked names in a byline, or else the first name in its text and names joined to it by a comma or "and". Null if
 * the text has an account in the place of a name, which is kept as the fallback: the next byline is of somebody else.
 */
function nameInByline({ names: marks, texts: all, topics }: Fragment, normalize: Normalize): string | null | undefined {
  const marked = firstOf(NAME_MARKS, (mark) => namesOf(marks[mark], (text) => visibleName(text, normalize)))
  if (marked !== undefined) return marked
  const names: string[] = []
  let isJoined = true
  const texts = all.slice(0, MAX_TEXTS)
  const isBy = (i: number) => PREPOSITIONS.includes(texts[i]?.toLowerCase() ?? '')
  for (const [i, text] of texts.entries()) {
    if (isOfAnother(texts[i - 1] ?? '') || (topics.has(i) && !isBy(i - 1))) continue
    // Text before "by" is not a name but a verb, or a label for screen readers: "Message", "by", "Jo Doe".
    const isName = isJoined && (names.length > 0 || isBy(i - 1) || !isBy(i + 1))
    const name = isName ? visibleName(text, normalize) : undefined
    if (name === undefined && isName && isAccount(i, texts)) return normalize(text) ?? null
    if (name !== undefined) names.push(name)
    else if (names.length > 0 && !JOINER.test(text)) break
    isJoined = names.length === 0 || JOINER.test(text) || text.endsWith(',')
  }
  return joinNames(names) ?? (texts.length === 1 ? soleAccount(texts[0]!, normalize) : undefined)
}

/** Whether a text is an account: before a role such as "Member", or after a label such as "Author". */
function isAccount(i: number, texts: readonly string[]): boolean {
  const text = texts[i] ?? ''
  if (!ACCOUNT.test(text) || normalizeName(text) === undefined) return false
  const isFirst = i === 0 && UNLIKE_WORD.test(text) && hasOtherWord(texts[1] ?? '')
  const label = splitPrefix(texts[i - 1] ?? '')
  return isFirst || (label?.rest === '' && label.kind !== 'label' && label.kind !== 'role')
}

/** An account that is the only text of an element. */
function soleAccount(text: string, normalize: Normalize): string | undefined {
  return ACCOUNT.test(text) && UNLIKE_WORD.test(text) && !hasOtherWord(text) ? normalize(text) : undefined
}

/** The name or account after "By" or "Author", which are often in an element of their own. */
function nameAfterBy(texts: readonly string[], normalize: Normalize): string | undefined {
  return firstOf(texts.slice(0, MAX_TEXTS).entries(), ([i, text]) => {
    const split = splitPrefix(withoutDateBefore(text).replace(TIME_BEFORE, ''))
    if (split === undefined || split.kind === 'label' || split.kind === 'role') return undefined
    const { kind, rest, isSeparated } = split
    if (!isSeparated && (kind === 'craft' || (kind === 'noun' && rest !== ''))) return undefined
    const name = rest === '' ? (texts[i + 1] ?? '') : rest
    // "Author" may also be the head of a column, before that of the next one.
    const isHead = kind === 'noun' && !isSeparated && !TWO_NAMES.test(name)
    if (/^\p{Lu}|^\p{Lo}/u.test(name)) return isHead ? undefined : visibleName(name, normalize)
    return rest === '' && kind !== 'preposition' && isAccount(i + 1, texts) ? normalize(name) : undefined
  })
}
