import { expect, test } from 'bun:test'

import * as icons from 'simple-icons'

import { PLATFORMS } from '../../src/previews/platforms/platforms.ts'
import marks from '../../views/playground/app-marks.svg' with { type: 'text' }

const named = new Map(Object.values(icons).map((icon) => [icon.slug, icon]))

/** Apps whose owners do not allow their logo here: docs/link-previews.md. */
const LETTERS: Record<string, string> = {
  linkedin: 'in',
  slack: 'S',
  imessage: 'iM',
  teams: 'Te',
  pinterest: 'P',
  google: 'G',
}

test.each(PLATFORMS.map(({ id }) => id))('the mark of %s is that of simple-icons, or letters, in one color', (id) => {
  const [, content = ''] = new RegExp(`^<symbol id="${id}" viewBox="0 0 24 24">(.*)</symbol>$`, 'm').exec(marks) ?? []
  const letters = LETTERS[id]
  if (letters !== undefined) {
    expect(content).toMatch(new RegExp(`^<text [^<>]* fill="currentColor">${letters}</text>$`))
    return
  }
  const { path, license } = named.get(id)!
  expect(content).toBe(`<path fill="currentColor" d="${path}"/>`)
  expect(license).toBeUndefined()
})

test('there are no other marks', () => {
  expect(marks.match(/<symbol/g)).toHaveLength(PLATFORMS.length)
})
