/** Titles of pages for browsers without JavaScript, in lower case. Titles of articles about JavaScript are longer. */
const TITLES: ReadonlySet<string> = new Set([
  'enable javascript',
  'enable javascript to continue',
  'javascript disabled',
  'javascript is disabled',
  'javascript is not available',
  'javascript is not enabled',
  'javascript is required',
  'javascript not enabled',
  'javascript required',
  'please enable javascript',
  'please enable javascript to continue',
  'please enable js and disable any ad blocker',
  'you need to enable javascript to run this app',
])

/** The length of the longest title with a few punctuation marks after it. */
const MAX_CHARACTERS = 60

/** Whether a title only says that the page needs JavaScript. */
export function isNoScriptTitle(title: string): boolean {
  const text = title.trim().toLowerCase()
  return text.length <= MAX_CHARACTERS && TITLES.has(text.replace(/[.!…]+$/, ''))
}
