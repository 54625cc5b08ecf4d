import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { PAGE_FIXTURES, readPageFixture } from './page-fixture.ts'

const page = await Bun.file(join(import.meta.dir, '../../../docs/platforms.md')).text()

/** The fields of the columns behind "Fixture". */
const FIELDS = ['title', 'description', 'image', 'site_name', 'meta.author', 'meta.published_time']

interface Row {
  fixture: string
  seen: string
  source: string
  /** By field; `–` for a field that the page does not have. */
  labels: string[]
}

const sections = page
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    heading: section.split('\n', 1)[0]!,
    rows: [...section.matchAll(/^\| \[(.+?)\]\((.+?)\) +\| (.*) \|$/gm)].map(([, name, target, rest]): Row => {
      const cells = rest!.split('|').map((cell) => cell.trim())
      const [, seen = '', source = ''] = cells.splice(FIELDS.length)
      expect(target).toBe(`../test/fixtures/pages/platform-${name}/page.html`)
      return { fixture: `platform-${name}`, seen, source, labels: cells }
    }),
    /** Quoted tags and attributes with a value. */
    quotes: [...section.matchAll(/`([^`]+)`/g)].map(([, code]) => code!).filter((code) => /^<\w+ |="/.test(code)),
  }))

test('every page of a platform is in docs/platforms.md once, and every row has a page', () => {
  const documented = sections.flatMap(({ rows }) => rows.map(({ fixture }) => fixture))
  expect(documented.toSorted()).toEqual(PAGE_FIXTURES.filter((name) => name.startsWith('platform-')))
})

describe.each(sections)('$heading', ({ rows, quotes }) => {
  test.each(rows)('$fixture', async ({ fixture, seen, source, labels }) => {
    const sources: Record<string, string> = (await readPageFixture(fixture)).sources
    expect(labels).toEqual(FIELDS.map((field) => sources[field] ?? '–'))
    expect(seen).toMatch(/^20\d\d-\d\d-\d\d$/)
    expect(source).toMatch(/^(run:|not run[;,]) ./)
  })

  test('quotes tags as they are in its pages', async () => {
    const pages = await Promise.all(rows.map(async ({ fixture }) => (await readPageFixture(fixture)).html))
    expect(quotes.filter((quote) => !pages.some((html) => html.includes(quote)))).toEqual([])
  })
})
