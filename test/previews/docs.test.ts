import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { PLATFORMS, RULES } from '../../src/previews/platforms/platforms.ts'

test('docs/link-previews.md has the rules of every app with their sources', async () => {
  const path = join(import.meta.dir, '../../docs/link-previews.md')
  const text = (await Bun.file(path).text()).replace(/\s+/g, ' ')
  for (const { id, name } of PLATFORMS) {
    expect(text).toContain(`### ${name} `)
    for (const [rule, url] of Object.entries(RULES[id])) {
      expect(text).toContain(
        url === null ? `- ${rule}: no source` : `- ${rule.replaceAll('<title>', '`<title>`')}: <${url}>`,
      )
    }
  }
})
