import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { PLATFORMS } from '../../../src/core/previews/platforms.ts'

test('docs/link-previews.md has the sources and the unverified parts of every app', async () => {
  const path = join(import.meta.dir, '../../../docs/link-previews.md')
  const text = (await Bun.file(path).text()).replace(/\s+/g, ' ')
  for (const { name, sources, approximate } of PLATFORMS) {
    expect(text).toContain(`### ${name} `)
    expect(text).toContain(approximate)
    for (const url of Object.values(sources)) expect(text).toContain(`<${url}>`)
  }
})
