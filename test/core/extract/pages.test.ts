import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { join } from 'node:path'

import { extractHtml } from '../../../src/core/extract/extract.ts'

/** The expected result of a page in test/fixtures/pages. Omitted optional parts are not checked. */
interface Expected {
  url?: string
  encoding?: string
  /** Complete: a field that is missing here must be absent. */
  metadata: object
  sources?: Record<string, string>
  evidence?: object
  /** The target of a page that redirects; null for a page with a refresh that is not followed. */
  refresh?: string | null
}

/** The time at which the pages are read. */
const NOW = Date.UTC(2026, 2, 1)

const PAGES = join(import.meta.dir, '../../fixtures/pages')
const names = [...new Glob('*/page.html').scanSync(PAGES)].map((path) => path.split('/')[0]!).toSorted()

describe('pages', () => {
  test('are more than 200', () => expect(names.length).toBeGreaterThan(200))

  test.each(names)('%s', async (name) => {
    const expected: Expected = await Bun.file(join(PAGES, name, 'expected.json')).json()
    const { metadata, sources, evidence, refresh } = extractHtml({
      bytes: await Bun.file(join(PAGES, name, 'page.html')).bytes(),
      encoding: expected.encoding ?? 'utf-8',
      url: new URL(expected.url ?? 'https://site.test/a/b/page'),
      now: NOW,
    })
    expect(metadata).toEqual(expected.metadata)
    expect(Object.keys(sources).length).toBe(leafCount(metadata))
    if (expected.sources) expect(sources).toEqual(expected.sources)
    if (expected.evidence) expect(evidence).toMatchObject(expected.evidence)
    if (expected.refresh !== undefined) expect(refresh?.href ?? null).toEqual(expected.refresh)
  })
})

/** The number of values in an object of strings and objects. Each must have a source. */
function leafCount(value: object): number {
  return Object.values(value).reduce((count, part) => count + (typeof part === 'string' ? 1 : leafCount(part)), 0)
}
