import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { EXTRA_SOURCES } from '../../../src/core/extract/fields/extra.ts'
import { FILE_SOURCES } from '../../../src/core/extract/files/file-sources.ts'
import { FIELDS } from '../../../src/core/extract/fields/fields.ts'

const page = await Bun.file(join(import.meta.dir, '../../../docs/extraction.md')).text()

const TABLES = [
  { heading: 'Fields', end: '\n## Fields of `extra`\n', fields: FIELDS },
  {
    heading: 'Fields of `extra`',
    end: '\n- **Groups of tags**',
    fields: Object.entries(EXTRA_SOURCES).map(([path, sources]) => ({ path, sources })),
  },
]

describe.each(TABLES)('docs/extraction.md: $heading', ({ heading, end, fields }) => {
  const lists = new Map(
    page
      .slice(page.indexOf(`\n## ${heading}\n`), page.indexOf(end))
      .split('\n### ')
      .slice(1)
      .map((section): [path: string, sources: string[]] => {
        const [path = '', ...lines] = section.trim().split('\n')
        return [path.replaceAll('`', ''), lines.join(' ').trim().split(/ · +/)]
      }),
  )

  test('has every field', () => expect([...lists.keys()]).toEqual(fields.map(({ path }) => path)))

  const fromPage = fields.filter(({ sources }) => sources.length > 0)
  test.each(fromPage.map(({ path, sources }) => ({ path, labels: sources.map(({ label }) => label) })))(
    'has the sources of $path in order',
    ({ path, labels }) => expect(lists.get(path)).toEqual(labels),
  )
})

test('docs/extraction.md has the sources of files in order', () => {
  const section = page.slice(page.indexOf('\n## Files\n'), page.indexOf('\n### Feeds and other XML\n'))
  const rows = [...section.matchAll(/^\| `([\w.]+)` +\| (.+?) +\|$/gm)].map(([, path, sources]) => [path, sources])
  const expected = Object.entries(FILE_SOURCES).map(([path, sources]) => [path, sources.replaceAll(',', ' · ')])
  expect(rows).toEqual(expected)
})
