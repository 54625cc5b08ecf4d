import { extractHtml, type HtmlSource } from '../../../src/core/extract/extract.ts'

/** The metadata of a page of https://site.test that was received whole. */
export function metadataOf(html: string, options: Partial<HtmlSource> = {}) {
  const url = new URL('https://site.test/page')
  return extractHtml({ bytes: Buffer.from(html), encoding: 'utf-8', url, ...options }).metadata
}
