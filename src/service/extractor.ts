import { describeFile, extractHtml, type Extraction } from '../core/extract/extract.ts'
import type { PageContent } from '../core/ports.ts'

/** What a page says; of anything but HTML, what its URL tells. */
export type Extracted = Pick<Extraction, 'metadata' | 'sources'> & Partial<Pick<Extraction, 'evidence' | 'refresh'>>

/**
 * Extraction of pages, each done once: the fetcher asks whether a page only leads on to another before the
 * reader asks what it says.
 */
export function createExtractor() {
  const extracted = new WeakMap<PageContent, Extracted>()

  function of(page: PageContent): Extracted {
    const known = extracted.get(page)
    if (known) return known
    const fresh = extract(page)
    extracted.set(page, fresh)
    return fresh
  }

  return {
    of,
    /** Where a page that says nothing itself sends its reader, or null. */
    refreshOf(page: PageContent): string | null {
      const { refresh } = of(page)
      return refresh?.isRedirect ? refresh.url.href : null
    },
  }
}

export type Extractor = ReturnType<typeof createExtractor>

function extract({ kind, bytes, charset, url }: PageContent): Extracted {
  if (kind === 'empty') return { metadata: {}, sources: {} }
  if (kind !== 'html') return describeFile(url, kind)
  return extractHtml({ bytes, encoding: charset.encoding, url })
}
