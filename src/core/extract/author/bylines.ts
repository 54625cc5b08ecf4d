import type { Fragment, NameMark } from '../reading/fragment.ts'
import type { Mark } from '../reading/marked-elements.ts'
import type { Normalize } from '../reading/normalize.ts'
import { joinNames } from '../sources/person-name.ts'
import type { Source, SourcePage } from '../sources/sources.ts'
import { shortName, visibleName } from './visible-name.ts'

/* Sources of authors in the markup of the body. */

/** The maximum number of elements with the same mark to read. */
const MAX_ELEMENTS = 4

/** The maximum number of texts of a byline to read, and of names with the same mark. */
const MAX_TEXTS = 12
const MAX_NAMES = 5

/** The maximum distance between links to the authors of one article. */
const MAX_BYTES_BETWEEN = 500

/** The marks of names in a byline, most reliable first. */
const NAME_MARKS: readonly NameMark[] = ['fn', 'itemprop', 'relation', 'page']

/** Text between the names of two authors. */
const JOINER = /^(?:,|&|\/|;|and|und|et|y|e|og|och|en|i|и|、|・)$/iu

/** "By" without a name after it, and before a name. */
const BY =
  /^(?:(?:written|posted|published|story) )?(?:by|von|par|por|di|da|door|przez|av|af):?$|^(?:author|autora?|autorin|auteur|autore|texte?|texto|testo|tekst|автор|текст|yazan|oleh):$/i
const BY_NAME =
  /^(?:(?:written|posted|published|story) )?(?:by|von|par|por|di|da|door|przez|av|af)(?: ?: ?| )(?=\p{Lu})|^(?:author|autora?|autorin|auteur|autore|texte?|texto|testo|tekst|автор|текст|yazan|oleh): ?(?=\p{Lu})/iu

/** `<a rel="author">`: the first one outside comments and other items, and those that follow it closely. */
export const authorLink: Source = {
  label: 'rel author',
  find(page, normalize) {
    const names: string[] = []
    let end = Infinity
    for (const { start, fragment } of page.marked('author link', MAX_ELEMENTS)) {
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

/** Visible text: an element with a class or id such as `byline`, "By" after the headline, or a link to an author. */
export const byline: Source = {
  label: 'byline',
  find: (page, normalize) =>
    firstName(page, 'author class', (fragment) => nameInByline(fragment, normalize)) ??
    nameAfterHeadline(page, normalize) ??
    firstName(page, 'author path', (fragment) => visibleName(textOf(fragment), normalize)),
}

function firstName(page: SourcePage, mark: Mark, read: (fragment: Fragment) => string | undefined): string | undefined {
  for (const { fragment } of page.marked(mark, MAX_ELEMENTS)) {
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

/** The marked names in a byline, or else the first name in its text and names joined to it by a comma or "and". */
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

/** The name after "By". Often the two are in separate elements. */
function nameAfterHeadline(page: SourcePage, normalize: Normalize): string | undefined {
  const texts = page.textsAfterHeadline.slice(0, MAX_TEXTS)
  for (const [i, text] of texts.entries()) {
    const line = BY.test(text) ? `${text} ${texts[i + 1] ?? ''}` : text
    const name = BY_NAME.test(line) ? visibleName(line.replace(BY_NAME, ''), normalize) : undefined
    if (name !== undefined) return name
  }
  return undefined
}
