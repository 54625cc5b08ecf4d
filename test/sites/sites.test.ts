import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { CASES } from './cases.ts'
import { describeSites } from './describe-sites.ts'

describeSites('links to sites that treat link previews differently', CASES)

describe('the table', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../docs/sites.md')).text()

  test.each([...new Set(CASES.map(({ site }) => site))])('docs/sites.md has a row for %s', (site) => {
    expect(page).toContain(`\n| ${site} `)
  })

  test.each(CASES.map(({ site, name, sources }) => [`${site}: ${name}`, sources] as const))(
    '%s names its sources',
    (_, sources) => {
      expect(sources.length).toBeGreaterThan(0)
      for (const source of sources) expect(source).toMatch(/^[\w.-]+\/[\w.-]+(?:#\d+|\/[\w./-]+)$/)
    },
  )
})
