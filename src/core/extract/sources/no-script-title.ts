/** Titles of pages for browsers without JavaScript. Titles of articles about JavaScript are longer. */
const TITLE =
  /^(?:(?:(?:please |you need to )?enable javascript(?: to (?:continue|run this app))?)|javascript (?:is )?(?:disabled|required|not available|not enabled)|please enable js and disable any ad blocker)[.!…]*$/i

/** The length of the longest title with a few punctuation marks after it. */
const MAX_CHARACTERS = 60

/** Whether a title only says that the page needs JavaScript. */
export function isNoScriptTitle(title: string): boolean {
  const text = title.trim()
  return text.length <= MAX_CHARACTERS && TITLE.test(text)
}
