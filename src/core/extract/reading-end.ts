import type { Answer, Field } from './field.ts'
import { FIELDS } from './fields.ts'

/** Fields for which a page is read beyond its head. */
const WANTED: readonly Field[] = FIELDS.filter(({ path }) => path === 'meta.author' || path === 'meta.published_time')

/** Whether these fields are known so well that the rest of the page need not be read. */
export function isKnown(page: { answer(field: Field): Answer | undefined }): boolean {
  return WANTED.every((field) => {
    const answer = page.answer(field)
    return answer !== undefined && !answer.isSecondChoice && answer.source.isGuess !== true
  })
}

/** A home page has neither an author nor a date. */
export function isHomePage(url: URL): boolean {
  return url.pathname === '/'
}
