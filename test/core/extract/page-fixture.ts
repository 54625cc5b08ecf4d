import { Glob } from 'bun'
import { join } from 'node:path'

import { extractHtml } from '../../../src/core/extract/extract.ts'

/** The expected result of a page in test/fixtures/pages. Omitted optional parts are not checked. */
export interface Expected {
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

export const PAGE_FIXTURES = [...new Glob('*/page.html').scanSync(PAGES)].map((path) => path.split('/')[0]!).toSorted()

export async function readPageFixture(name: string) {
  const page = Bun.file(join(PAGES, name, 'page.html'))
  const expected: Expected = await Bun.file(join(PAGES, name, 'expected.json')).json()
  const result = extractHtml({
    bytes: await page.bytes(),
    encoding: expected.encoding ?? 'utf-8',
    url: new URL(expected.url ?? 'https://site.test/a/b/page'),
    now: NOW,
  })
  return { expected, html: await page.text(), ...result }
}
