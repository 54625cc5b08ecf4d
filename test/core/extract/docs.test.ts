import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { FIELDS } from '../../../src/core/extract/fields/fields.ts'

describe('docs/extraction.md', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../../docs/extraction.md')).text()
  const fields = page.slice(page.indexOf('\n## Fields\n'), page.indexOf('\n## Acceptable values\n'))
  const lists = new Map(
    fields
      .split('\n### ')
      .slice(1)
      .map((section): [path: string, sources: string[]] => {
        const [heading = '', ...lines] = section.trim().split('\n')
        return [heading.replaceAll('`', ''), lines.join(' ').trim().split(/ · +/)]
      }),
  )

  test('has every field', () => expect([...lists.keys()]).toEqual(FIELDS.map(({ path }) => path)))

  test.each(FIELDS.map(({ path, sources }) => ({ path, labels: sources.map(({ label }) => label) })))(
    'has the sources of $path in order',
    ({ path, labels }) => expect(lists.get(path)).toEqual(labels),
  )
})
