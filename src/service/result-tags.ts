import { listPageTags } from '../core/extract/list-page-tags.ts'
import type { PageTags, ResultTags } from '../core/page-tags.ts'
import type { PageContent } from '../core/fetch-ports.ts'
import type { ReadResult } from './reader.ts'

/** The tags of a page. Other files have none. */
export function resultTagsOf({ page, rendered }: Pick<ReadResult, 'page' | 'rendered'>): ResultTags {
  return { plain: tagsOf(page), ...(rendered && { rendered: tagsOf(rendered) }) }
}

function tagsOf({ kind, bytes, charset, url }: PageContent): PageTags {
  if (kind !== 'html') return { baseUrl: url.href, tags: [], isTruncated: false }
  return listPageTags({ bytes, encoding: charset.encoding, url })
}
