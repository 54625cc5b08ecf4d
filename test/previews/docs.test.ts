import { expect, test } from 'bun:test'

import { PLATFORMS } from '../../src/previews/platforms/platforms.ts'
import { DOCUMENTATION } from '../../views/docs/documents.ts'
import { documentedRules } from './documented-rules.ts'

const html = DOCUMENTATION.documents.find(({ path }) => path === '/docs/link-previews')!.html

test.each(PLATFORMS)(
  'docs/link-previews.md has the rules of $name, each with its source or "no source"',
  async ({ id, name }) => {
    const rules = await documentedRules(name)
    expect(rules.size).toBeGreaterThan(1)
    expect([...rules.keys()].filter((rule) => rule.startsWith('- '))).toEqual([])
    expect([...rules.values()].filter((url) => url !== null)).not.toBeEmpty()
    // Cards link to it.
    expect(html).toContain(` id="${id}"`)
  },
)
