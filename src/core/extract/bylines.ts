import type { Fragment, NameMark } from './fragment.ts'
import type { Mark } from './marked-elements.ts'
import type { Normalize } from './normalize.ts'
import { joinNames } from './person-name.ts'
import type { Source, SourcePage } from './sources.ts'
import { shortName, visibleName } from './visible-name.ts'

/*
 * Authors that the markup of the body marks.
 */

/** Most elements of a mark to look into. */
const MAX_LOOKS = 4

/** Most texts of a byline to read, and most names of one kind. */
const MAX_TEXTS = 12
const MAX_NAMES = 5

/** Links to the authors of one article follow each other. */
const MAX_BYTES_BETWEEN = 500

/** Where the names in a byline are, by how plainly it says so. */
const NAME_MARKS: readonly NameMark[] = ['fn', 'itemprop', 'relation', 'page']

/** Between the names of two authors. */
const JOINER = /^(?:,|&|\/|;|and|und|et|y|e|og|och|en|i|и|、|・)$/iu

/** "By" alone, and before a name. */
const BY =
  /^(?:(?:written|posted|published|story) )?(?:by|von|par|por|di|da|door|przez|av|af):?$|^(?:author|autora?|autorin|auteur|autore|texte?|texto|testo|tekst|автор|текст|yazan|oleh):$/i
const BY_NAME =
  /^(?:(?:written|posted|published|story) )?(?:by|von|par|por|di|da|door|przez|av|af)(?: ?: ?| )(?=\p{Lu})|^(?:author|autora?|autorin|auteur|autore|texte?|texto|testo|tekst|автор|текст|yazan|oleh): ?(?=\p{Lu})/iu

/** `<a rel="author">`: the first outside comments and other items, and those that follow it at once. */
export const authorLink: Source = {
  label: 'rel author',
  find(page, normalize) {
    const names: string[] = []
    let end = Infinity
    for (const { start, fragment } of page.marked('author link', MAX_LOOKS)) {
      const name = fragment === null || start > end ? undefined : shortName(textOf(fragment), normalize)
      if (name === undefined) continue
      names.push(name)
      end = start + MAX_BYTES_BETWEEN
    }
    return joinNames(names)
  },
}

/** hCard: http://microformats.org/wiki/hcard */
export const hCardAuthor: Source = {
  label: 'hcard author',
  find: (page, normalize) =>
    firstName(page, 'author class', ({ names }) => namesOf(names.fn, (text) => shortName(text, normalize))),
}

/** What readers see: an element with a class or id such as `byline`, "By" behind the headline, a link to an author. */
export const byline: Source = {
  label: 'byline',
  find: (page, normalize) =>
    firstName(page, 'author class', (fragment) => nameInByline(fragment, normalize)) ??
    nameBehindHeadline(page, normalize) ??
    firstName(page, 'author path', (fragment) => visibleName(textOf(fragment), normalize)),
}

function firstName(page: SourcePage, mark: Mark, read: (fragment: Fragment) => string | undefined): string | undefined {
  for (const { fragment } of page.marked(mark, MAX_LOOKS)) {
    const name = fragment === null ? undefined : read(fragment)
    if (name !== undefined) return name
  }
  return undefined
}

function textOf({ texts }: Fragment): string {
  return texts.join(' ')
}

function namesOf(texts: readonly string[] = [], normalize: Normalize): string | undefined {
  const names = texts.slice(0, MAX_NAMES).map(normalize)
  return joinNames(names.filter((name) => name !== undefined))
}

/** The names that markup within marks, or else the first text that is a name and those that a comma or "and" joins. */
function nameInByline(fragment: Fragment, normalize: Normalize): string | undefined {
  for (const mark of NAME_MARKS) {
    const name = namesOf(fragment.names[mark], (text) => visibleName(text, normalize))
    if (name !== undefined) return name
  }
  const names: string[] = []
  let isJoined = true
  for (const text of fragment.texts.slice(0, MAX_TEXTS)) {
    const name = isJoined ? visibleName(text, normalize) : undefined
    if (name !== undefined) names.push(name)
    else if (names.length > 0 && !JOINER.test(text)) break
    isJoined = names.length === 0 || JOINER.test(text) || text.endsWith(',')
  }
  return joinNames(names)
}

/** The name after "By", which is often an element of its own. */
function nameBehindHeadline(page: SourcePage, normalize: Normalize): string | undefined {
  const texts = page.textsBehindHeadline.slice(0, MAX_TEXTS)
  for (const [i, text] of texts.entries()) {
    const line = BY.test(text) ? `${text} ${texts[i + 1] ?? ''}` : text
    const name = BY_NAME.test(line) ? visibleName(line.replace(BY_NAME, ''), normalize) : undefined
    if (name !== undefined) return name
  }
  return undefined
}
