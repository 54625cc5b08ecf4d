import type { FieldValue, Field } from '../sources/field.ts'
import { FIELDS } from './fields.ts'

/** Fields for which a page is read beyond its head. The date comes first, because it is usually in a meta element. */
const WANTED = ['meta.published_time', 'meta.author'].map((path): Field => FIELDS.find((field) => field.path === path)!)

/** Whether reliable values of these fields were found, so that the rest of the page need not be read. */
export function canStopReading(page: { reliableValue(field: Field): FieldValue | undefined }): boolean {
  return WANTED.every((field) => page.reliableValue(field) !== undefined)
}

/** A home page has neither an author nor a date. WordPress without permalinks has all pages there: `/?p=123`. */
export function isHomePage(url: URL): boolean {
  return url.pathname === '/' && !/[?&](?:p|page_id|id)=\d/.test(url.search)
}
