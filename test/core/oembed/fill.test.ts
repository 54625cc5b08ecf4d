import { expect, test } from 'bun:test'

import { filledFrom } from '../../../src/core/oembed/result.ts'

const SIZE = { value: { width: 640, height: 360 }, source: 'oembed thumbnail_width' }
const resultOf = (image: string | undefined, extra = {}) => ({
  metadata: image === undefined ? {} : { image },
  sources: {},
  extra,
})

test.each([
  ['the page has no image', undefined, true],
  ['the page has the same image', 'https://example.com/a.png', true],
  ['the page has another image', 'https://example.com/b.png', false],
])('the size of the thumbnail is used if it belongs to the image: %s', (_, image, isUsed) => {
  const oembed = resultOf('https://example.com/a.png', { image_size: SIZE })
  expect(filledFrom(resultOf(image), oembed).extra).toEqual(isUsed ? { image_size: SIZE } : {})
})

test('the size that the page states takes precedence', () => {
  const own = { ...SIZE, value: { width: 1, height: 1 } }
  const oembed = resultOf('https://example.com/a.png', { image_size: SIZE })
  expect(filledFrom(resultOf(undefined, { image_size: own }), oembed).extra).toEqual({ image_size: own })
})
