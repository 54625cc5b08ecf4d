import { describeFile } from '../../core/extract/describe-file.ts'
import { extractHtml, type Extraction } from '../../core/extract/extract.ts'
import type { PageContent } from '../../core/fetch/ports.ts'
import { memoized } from '../../core/memoized.ts'

/** The metadata of a page; for other files, derived from the URL. */
export type Extracted = Pick<Extraction, 'metadata' | 'sources'> &
  Partial<Pick<Extraction, 'extra' | 'evidence' | 'refresh' | 'oembed'>>

/** Extracts each page once, for the fetcher, which follows its redirect, and for the reader, which returns its metadata. */
export function createExtractor(now: () => number) {
  const of = memoized((page: PageContent) => extract(page, now()))
  return {
    of,
    /** The target of a page that only redirects, or null. */
    refreshOf: (page: PageContent) => of(page).refresh?.href ?? null,
  }
}

export type Extractor = ReturnType<typeof createExtractor>

function extract({ kind, bytes, charset, url, scan }: PageContent, now: number): Extracted {
  if (kind === 'empty') return { metadata: {}, sources: {} }
  if (kind !== 'html') return describeFile(url, kind)
  return extractHtml({ bytes, encoding: charset.encoding, url, now, scan })
}
