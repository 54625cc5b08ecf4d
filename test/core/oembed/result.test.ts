import { describe, expect, test } from 'bun:test'

import { filledFrom, readOembed } from '../../../src/core/oembed/result.ts'

const read = (answer: unknown) =>
  readOembed({ bytes: Buffer.from(JSON.stringify(answer)), url: new URL('https://e.test/oembed') }, [])

describe('texts are cleaned like texts of pages', () => {
  test.each<[title: string, expected: string | undefined]>([
    ['Plain', 'Plain'],
    ['  two \n lines\t', 'two lines'],
    ['Tom & Jerry <3 you', 'Tom & Jerry <3 you'],
    ['Use the <canvas> tag', 'Use the <canvas> tag'],
    ['a < b and c > d', 'a < b and c > d'],
    ['<b>Bold</b> title', 'Bold title'],
    ['<i>A<br>B</i>', 'A B'],
    ['Hi<img src=x onerror=alert(1)>', 'Hi'],
    ['<script>alert(1)</script>Song', 'Song'],
    ['<script src="https://evil.test/x.js"></script>', undefined],
    ['<style>p{}</style><p>Text</p>', 'Text'],
    ['<script>never ends', '<script>never ends'],
    ['<a href="javascript:alert(1)">Click</a>', 'Click'],
    ['Jo &amp; Ann', 'Jo & Ann'],
    ['It&#8217;s', 'It’s'],
    ['null\u0000byte', 'null byte'],
    ['cut in an emoji \ud83d…', 'cut in an emoji \ufffd…'],
    ['bell\u0007 escape\u001b[31m', 'bell escape [31m'],
    ['{{ title }}', undefined],
    ['x'.repeat(5_000), 'x'.repeat(1_000)],
    ['<b>'.repeat(90_000), undefined],
    ['<a b='.repeat(50_000), undefined],
  ])('%p', (title, expected) => {
    const value = read({ title, thumbnail_url: '/t.png' })?.metadata.title
    if (expected === undefined && title.length > 5_000) expect((value ?? '').length).toBeLessThanOrEqual(1_000)
    else expect(value).toBe(expected)
  })
})

describe('a post without a title', () => {
  const quote = (html: string) => read({ author_name: 'Jo', html })?.metadata
  test.each<[name: string, html: string, description: string | undefined]>([
    ['a quoted paragraph', '<blockquote><p>Text &amp; <a href="/">link</a></p>— Jo</blockquote>', 'Text & link'],
    ['lines', '<blockquote class="x"><p lang="en">A<br>B<br/>C</p></blockquote>', 'A B C'],
    ['a player', '<iframe src="https://e.test"></iframe>', undefined],
    ['a paragraph outside a quote', '<div><p>View this post</p></div>', undefined],
    ['a paragraph that does not end', `<blockquote><p>${'x'.repeat(100_000)}`, undefined],
    ['a script in the paragraph', '<blockquote><p>A<script>alert(1)</script>B</p></blockquote>', 'AB'],
  ])('%s', (_, html, description) => {
    expect(quote(html)).toEqual({ title: 'Jo', meta: { author: 'Jo' }, ...(description && { description }) })
  })

  test('of an account named after a role has no author', () => {
    expect(read({ author_name: 'admin' })?.metadata).toEqual({ title: 'admin' })
  })

  test('its markup is not read when there is a title', () => {
    expect(read({ title: 'T', html: '<blockquote><p>Text</p></blockquote>' })?.metadata).toEqual({ title: 'T' })
  })
})

test('the address of a photo is its image, the address of other types is not', () => {
  const url = 'https://cdn.test/large.jpg'
  expect(read({ type: 'photo', url })?.metadata.image).toBe(url)
  expect(read({ type: 'photo', url, thumbnail_url: '/t.jpg' })?.metadata.image).toBe('https://e.test/t.jpg')
  expect(read({ type: 'video', title: 'T', url })?.metadata.image).toBeUndefined()
  expect(read({ type: 'photo', title: 'T', url: `https://${'ä'.repeat(300)}.test/` })?.metadata.image).toBeUndefined()
})

describe('extra', () => {
  const FRAME = '<iframe width="200" height="113" src="/embed?a=1&amp;b=2" allowfullscreen></iframe>'
  const PLAYER = { url: 'https://e.test/embed?a=1&b=2', width: 200, height: 113 }

  test.each<[name: string, html: unknown, player: object | undefined]>([
    ['a frame', FRAME, PLAYER],
    ['a frame in a container', `<div class="v"><p>Video</p>${FRAME}</div><script src="x.js"></script>`, PLAYER],
    ['a frame in upper case, without quotes', '<IFRAME WIDTH=200 HEIGHT=113 SRC=/embed?a=1&b=2>', PLAYER],
    [
      'the first frame with an acceptable address',
      `<iframe src="javascript:alert(1)"></iframe><iframe></iframe>${FRAME}`,
      PLAYER,
    ],
    [
      'the size of the response',
      '<iframe width="100%" src="/e"></iframe>',
      { url: 'https://e.test/e', width: 640, height: 360 },
    ],
    [
      'a private address',
      '<iframe src="http://127.0.0.1/"></iframe><iframe src="http://169.254.169.254/"></iframe>',
      undefined,
    ],
    ['a user name and password', '<iframe src="https://jo:secret@e.test/"></iframe>', undefined],
    ['a data URL', '<iframe src="data:text/html,x"></iframe>', undefined],
    ['a ninth frame', `${'<iframe src="ftp://e.test/">'.repeat(8)}${FRAME}`, undefined],
    ['a frame behind 8 KB', ' '.repeat(8_192) + FRAME, undefined],
    ['a frame that does not end', '<iframe src="/e" ', undefined],
    ['no frame', '<video src="/v.mp4"></video>', undefined],
    ['no markup', 7, undefined],
  ])('%s', (_, html, player) => {
    const found = read({ title: 'T', width: 640, height: '360', html })?.extra.player
    expect(found).toEqual(player && { value: player as { url: string }, source: 'oembed html' })
  })

  test.each<[name: string, response: object, size: object | undefined, source: string | null]>([
    [
      'the size of the thumbnail',
      { type: 'video', thumbnail_url: '/t.png', thumbnail_width: 480, thumbnail_height: '360', width: 1, height: 1 },
      { width: 480, height: 360 },
      'oembed thumbnail_width and thumbnail_height',
    ],
    [
      'the size of a photo',
      { type: 'photo', url: '/p.png', width: 800, height: 600 },
      { width: 800, height: 600 },
      'oembed width and height',
    ],
    ['no size without an image', { title: 'T', width: 800, height: 600 }, undefined, null],
    ['no size without a height', { thumbnail_url: '/t.png', thumbnail_width: 480 }, undefined, null],
    [
      'no size of another type',
      { thumbnail_url: '/t.png', thumbnail_width: true, thumbnail_height: [1, 2] },
      undefined,
      null,
    ],
  ])('%s', (_, response, size, source) => {
    expect(read(response)?.extra.image_size).toEqual(size && { value: size as never, source: source! })
  })
})

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
