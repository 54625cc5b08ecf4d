import type { PageContent, PageTexts } from '../../core/fetch/ports.ts'
import { detailsText, storableTrace } from '../../core/fetch/result-details.ts'
import type { ReadResult } from './reader.ts'

/** Lists the tags of a page for link previews, which alone know the format of the list; null for other files. */
export type ListTags = (page: PageContent) => unknown

/** Includes the tags unless `listTags` is null. Disposes the page. */
export function pageTexts(reading: ReadResult, listTags: ListTags | null): PageTexts {
  const { result, sources, extra, rendered, isProvisional } = reading
  using page = reading.page
  const tags = listTags && { plain: listTags(page), ...(rendered && { rendered: listTags(rendered) }) }
  const details = detailsText({ sources, extra, trace: storableTrace(page.trace), ...(tags && { tags }) })
  return { json: JSON.stringify(result), details, isProvisional }
}
