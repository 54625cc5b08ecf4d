import { expect, test } from 'bun:test'

import * as icons from 'simple-icons'

import { PLATFORMS } from '../../src/previews/platforms/platforms.ts'
import marks from '../../views/playground/app-marks.svg' with { type: 'text' }

const named = new Map(Object.values(icons).map((icon) => [icon.slug, icon]))

test.each(PLATFORMS.filter(({ letters }) => letters === '').map(({ id }) => id))(
  'the mark of %s is that of simple-icons',
  (id) => {
    const { hex, path, license } = named.get(id)!
    const color = id === 'x' ? 'currentColor' : `#${hex.toLowerCase()}`
    expect(marks).toContain(`<symbol id="${id}" viewBox="0 0 24 24"><path fill="${color}" d="${path}"/></symbol>`)
    expect(license).toBeUndefined()
  },
)
