import { getDomainWithoutSuffix } from 'tldts'

import { isPlaceholder } from '../reading/placeholder.ts'
import { collapseWhitespace } from '../reading/text.ts'
import type { Source } from './sources.ts'

/**
 * The maximum length of a title to search, the maximum number of letters after the domain's name, and of words in a
 * site's name.
 */
const MAX_TITLE = 300
const MAX_EXTRA_LETTERS = 15
const MAX_WORDS = 4

/** Separates a title from the name of the site. A hyphen without spaces is part of a word. */
const SEPARATOR = / [-–—·•~:|»›/]+ | ?[|»›] ?|: /

/**
 * The last or first part of a title, if it is the name of the page's domain, as in "Title | Example". Slogans rarely
 * are.
 */
export const siteNameInTitle: Source = {
  label: 'name in title',
  find: (page, normalize) =>
    page.title((title) => {
      const parts = collapseWhitespace(title).slice(0, MAX_TITLE).split(SEPARATOR)
      const isName = (part: string, i: number) =>
        page.hostnames.some((host) => isNameOf(part, host, i === 0 && parts.length > 1))
      const name = [parts.at(-1)!, parts[0]!].find(isName)
      return name === undefined || isPlaceholder(title) ? undefined : normalize(name)
    }),
}

/**
 * @param canBeLonger whether words may follow the domain's name: "Example Online". At the start of a title they name its
 * subject: "Example Oven: our new model".
 */
function isNameOf(text: string, hostname: string, canBeLonger: boolean): boolean {
  const domain = lettersOf(getDomainWithoutSuffix(hostname) ?? '')
  if (domain.length < 3) return false
  return [lettersOf(text), lettersOf(text.replace(/[äöü]/gi, '$&e'))].some(
    (name) =>
      name === domain ||
      name === `the${domain}` ||
      name === lettersOf(hostname.replace(/^www\./, '')) ||
      (canBeLonger &&
        domain.length > 3 &&
        name.startsWith(domain) &&
        name.length <= domain.length + MAX_EXTRA_LETTERS &&
        text.split(' ').length <= MAX_WORDS),
  )
}

/** Letters and digits in lower case, without accents. */
export function lettersOf(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\d]/gu, '')
}
