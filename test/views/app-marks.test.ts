import { expect, test } from 'bun:test'

import * as icons from 'simple-icons'

import marks from '../../views/playground/app-marks.json'

const named = new Map(Object.values(icons).map((icon) => [icon.slug, icon]))

test.each(Object.entries(marks))('the mark of %s is that of simple-icons', (id, { color, path }) => {
  const icon = named.get(id)!
  expect({ color, path }).toEqual({ color: `#${icon.hex.toLowerCase()}`, path: icon.path })
  expect(icon.license).toBeUndefined()
})
