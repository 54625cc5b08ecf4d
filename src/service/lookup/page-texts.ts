import { listPageTags } from '../../core/extract/list-page-tags.ts'
import type { PageTags } from '../../core/extract/page/page-tags.ts'
import type { PageContent, PageTexts } from '../../core/fetch/ports.ts'
import { detailsText, storableTrace } from '../../core/fetch/result-details.ts'
import type { ReadResult } from './reader.ts'

/** A read page as texts, with its tags only if `listsTags`. Disposes the page. */
export function pageTexts(reading: ReadResult, listsTags: boolean): PageTexts {
  const { result, sources, extra, rendered, isProvisional } = reading
  using page = reading.page
  const tags = listsTags ? { plain: tagsOf(page), ...(rendered && { rendered: tagsOf(rendered) }) } : null
  const details = detailsText({ sources, extra, trace: storableTrace(page.trace), ...(tags && { tags }) })
  return { json: JSON.stringify(result), details, isProvisional }
}

/** The tags of a page. Other files have none. */
function tagsOf({ kind, bytes, charset, url }: PageContent): PageTags {
  if (kind !== 'html') return { baseUrl: url.href, tags: [], isTruncated: false }
  return listPageTags({ bytes, encoding: charset.encoding, url })
}
