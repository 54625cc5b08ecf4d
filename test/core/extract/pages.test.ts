import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { join } from 'node:path'

import { extractHtml } from '../../../src/core/extract/extract.ts'

/** What a page in test/fixtures/pages must come to; what is left out of the optional parts is not looked at. */
interface Expected {
  url?: string
  encoding?: string
  /** All of it: a field that is not here must be absent. */
  metadata: object
  sources?: Record<string, string>
  evidence?: object
  refresh?: { delaySeconds: number; url: string; isRedirect: boolean } | null
}

/** When the pages are read. */
const NOW = Date.UTC(2026, 0, 1)

const PAGES = join(import.meta.dir, '../../fixtures/pages')
const names = [...new Glob('*/page.html').scanSync(PAGES)].map((path) => path.split('/')[0]!).toSorted()

describe('pages', () => {
  test('are many', () => expect(names.length).toBeGreaterThan(200))

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
    if (expected.refresh !== undefined)
      expect(refresh && { ...refresh, url: refresh.url.href }).toEqual(expected.refresh)
  })
})

/** Values in an object of strings and objects: each has its source. */
function leafCount(value: object): number {
  return Object.values(value).reduce((count, part) => count + (typeof part === 'string' ? 1 : leafCount(part)), 0)
}
