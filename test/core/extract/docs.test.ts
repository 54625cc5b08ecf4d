import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { FIELDS } from '../../../src/core/extract/fields.ts'

describe('docs/extraction.md', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../../docs/extraction.md')).text()
  const rows = new Map([...page.matchAll(/^\| `([^`]+)` +\| (.+?) +\|$/gm)].map(([, path, sources]) => [path, sources]))

  test('has every field', () => expect([...rows.keys()]).toEqual(FIELDS.map(({ path }) => path)))

  test.each(FIELDS.map(({ path, sources }) => ({ path, labels: sources.map(({ label }) => label) })))(
    'has the sources of $path in order',
    ({ path, labels }) => expect(rows.get(path)).toBe(labels.join(' · ')),
  )
})
