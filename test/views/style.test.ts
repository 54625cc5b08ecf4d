import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { PLATFORMS } from '../../src/core/previews/platforms.ts'
import { STYLE } from '../../views/style.ts'

const VIEWS = join(import.meta.dir, '../../views')
const readAll = (pattern: string) =>
  Promise.all([...new Bun.Glob(pattern).scanSync(VIEWS)].map((path) => Bun.file(join(VIEWS, path)).text()))

test('every style sheet is included exactly once', async () => {
  const sheets = await readAll('**/*.css')
  expect(sheets.length).toBeGreaterThan(20)
  for (const sheet of sheets) expect(STYLE.split(sheet)).toHaveLength(2)
  expect(STYLE.length).toBe(sheets.join('\n').length)
})

test('every class with a rule is used by a component or the script', async () => {
  const selectors = STYLE.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/\{[^{}]*\}/g, '{}')
  const classes = [...selectors.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name!)
  // A preview card has its app's id as a class.
  const apps = PLATFORMS.map(({ id }): string => id)
  const words = new Set([...apps, ...(await readAll('**/*.{ts,tsx,js}')).join('\n').matchAll(/[\w-]+/g)].map(String))
  expect(classes.length).toBeGreaterThan(100)
  expect(classes.filter((name) => !words.has(name))).toEqual([])
})
