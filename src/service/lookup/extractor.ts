import { describeFile } from '../../core/extract/describe-file.ts'
import { extractHtml, type Extraction } from '../../core/extract/extract.ts'
import { emptyPageRefreshOf } from '../../core/extract/page/refresh.ts'
import type { PageContent } from '../../core/fetch/ports.ts'
import { memoized } from '../../core/memoized.ts'

/** The metadata of a page. The metadata of other files is derived from their URL. */
export type Extracted = Pick<Extraction, 'metadata' | 'sources'> &
  Partial<Pick<Extraction, 'extra' | 'evidence' | 'refresh' | 'oembed'>>

/**
 * Extracts each page once, for both the fetcher, which follows the page's redirect, and the reader, which returns its
 * metadata.
 */
export function createExtractor(now: () => number) {
  const of = memoized((page: PageContent) => extract(page, now()))
  return {
    of,
    /** The target of a page that only redirects; null for other pages. */
    refreshOf: (page: PageContent) => of(page).refresh?.href ?? null,
  }
}

export type Extractor = ReturnType<typeof createExtractor>

function extract(page: PageContent, now: number): Extracted {
  const { kind, bytes, charset, url, scan, refresh, canonical, fileName } = page
  if (kind === 'empty') return { metadata: {}, sources: {}, refresh: emptyPageRefreshOf(refresh ?? null, url) }
  if (kind !== 'html') return describeFile({ url, kind, fileName, bytes, encoding: charset.encoding, canonical })
  return extractHtml({ bytes, encoding: charset.encoding, url, now, scan, refresh, canonical })
}
