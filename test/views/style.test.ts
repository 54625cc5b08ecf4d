import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { PLATFORMS } from '../../src/previews/platforms/platforms.ts'
import { STYLE } from '../../views/style.ts'

const VIEWS = join(import.meta.dir, '../../views')
const readAll = (pattern: string) =>
  Promise.all([...new Bun.Glob(pattern).scanSync(VIEWS)].map((path) => Bun.file(join(VIEWS, path)).text()))

test('every style sheet is included exactly once', async () => {
  const sheets = await readAll('**/*.css')
  expect(sheets.length).toBeGreaterThan(15)
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

describe('the scale', () => {
  /** Font sizes, spaces and radii in CSS pixels, by the letter of their custom properties. */
  const SCALE = { t: [13, 15, 18, 24, 32], s: [4, 8, 12, 16, 24, 40, 64], r: [6, 10] }

  test('is defined once, and no other custom property is a size', () => {
    const steps = [...STYLE.matchAll(/--([\w-]+): ([\d.]+)(?:rem|px);/g)].map(([, name, rem]) => [
      name,
      Number(rem) * 16,
    ])
    const expected = Object.entries(SCALE).flatMap(([kind, sizes]) => sizes.map((size) => [`${kind}${size}`, size]))
    expect(steps).toEqual(expected)
  })

  /**
   * The properties that must use a step, with the steps. Widths, heights, positions and borders are not among them: they
   * are sizes of what is drawn, such as a preview card, which is as wide as in its app.
   */
  const SCALED: [properties: RegExp, steps: RegExp][] = [
    [/^font(-size)?$/, /var\(--t\d+\)/g],
    [/^((row-|column-)?gap|(scroll-)?(padding|margin)(-.+)?|border-spacing)$/, /var\(--(s\d+|gap)\)/g],
    [/^border(-.+)?-radius$/, /var\(--r\d+\)/g],
    // An inset shadow of one or two pixels is a line that takes no space.
    [/^(box|text)-shadow$/, /var\(--shadow\)|inset 0 (0 0 1|-2)px/g],
  ]

  /** Sizes that do not depend on the text, the container or the viewport. */
  const FIXED = /(?<![\w-])(?!0rem)[\d.]+(rem|px|pt|pc|cm|mm|in|q)\b|\b(small|medium|large|thin|thick)\b/i

  /** The declarations of a sheet that name a size outside the scale, or a step of another kind. */
  function strays(sheet: string): string[] {
    const declarations = sheet.replaceAll(/\/\*.*?\*\//gs, '').split(/[{};]/)
    return declarations.flatMap((text) => {
      const [, property, value] = /^\s*([\w-]+):\s*(.*)$/s.exec(text) ?? []
      const steps = SCALED.find(([properties]) => properties.test(property ?? ''))?.[1]
      const rest = steps && value!.replaceAll(steps, '')
      return rest !== undefined && (FIXED.test(rest) || /--(?:[tsr]\d)/.test(rest)) ? [text.trim()] : []
    })
  }

  test.each([
    ['a space off the scale', 'gap: 0.625rem', false],
    ['a second value off the scale', 'padding: var(--s8) 10px', false],
    ['a step in a calculation', 'margin-top: calc(-1 * var(--s8))', true],
    ['a size in a calculation', 'margin-left: calc(var(--s8) - 3px)', false],
    ['a space of the text', 'margin-top: calc(1.6em + var(--s4))', true],
    ['none, a percentage and the viewport', 'padding: 0 5% clamp(0rem, 6vh, var(--s64))', true],
    ['a font size', 'font: 600 14px var(--mono)', false],
    ['a font size by keyword', 'font-size: small', false],
    ['a step with a line height', 'font: 600 var(--t13) / 1.6 var(--mono)', true],
    ['a step of another kind', 'font-size: var(--s16)', false],
    ['a circle', 'border-radius: 50%', true],
    ['a radius off the scale', 'border-bottom-left-radius: 8px', false],
    ['a line inside', 'box-shadow: inset 0 0 0 1px var(--line)', true],
    ['another shadow', 'box-shadow: 0 1px 2px black', false],
    ['a drawn size', 'width: 5rem', true],
  ])('%s', (_, declaration, isAllowed) => {
    expect(strays(`@media (max-width: 48rem) { .card { ${declaration}; } }`)).toEqual(isAllowed ? [] : [declaration])
  })

  const names = [...new Bun.Glob('**/*.css').scanSync(VIEWS)]

  test.each(names)('%s names no size outside it', async (name) => {
    expect(strays(await Bun.file(join(VIEWS, name)).text())).toEqual([])
  })
})
