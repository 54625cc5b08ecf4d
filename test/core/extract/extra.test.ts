import { describe, expect, test } from 'bun:test'

import { extractHtml } from '../../../src/core/extract/extract.ts'

/** Tags as `name=content`, separated by lines. */
const page = (tags: string, before = '') =>
  `<!doctype html>${before}` +
  tags
    .trim()
    .split(/\s*\n\s*/)
    .map((tag) => `<meta property="${tag.split('=')[0]}" content="${tag.slice(tag.indexOf('=') + 1)}">`)
    .join('')

function extraOf(html: string) {
  const url = new URL('https://site.test/a/page')
  return extractHtml({ bytes: Buffer.from(html), encoding: 'utf-8', url }).extra
}

interface Case {
  name: string
  tags: string
  /** The value; undefined if there is none. */
  value: unknown
  source?: string
}

const VIDEO = 'https://site.test/embed/1'
const OG_SIZE = 'og:image:width and og:image:height'

const IMAGE_SIZES: Case[] = [
  {
    name: 'of the image',
    tags: 'og:image=/1.png\nog:image:width=1200\nog:image:height=630',
    value: { width: 1200, height: 630 },
    source: OG_SIZE,
  },
  {
    name: 'before the image',
    tags: 'og:image:width=1\nog:image:height=2\nog:image=/1.png',
    value: { width: 1, height: 2 },
  },
  {
    name: 'in pixels, with white space',
    tags: 'og:image=/1.png\nog:image:width= 800px \nog:image:height=99999',
    value: { width: 800, height: 99_999 },
  },
  {
    name: 'of the second of three images if the first has no acceptable URL',
    tags: `og:image=data:image/png;base64,AAAA
      og:image:width=1
      og:image:height=1
      og:image=/2.png
      og:image:width=2
      og:image:height=3
      og:image=/3.png
      og:image:width=4
      og:image:height=4`,
    value: { width: 2, height: 3 },
  },
  {
    name: 'of another image is not used',
    tags: 'og:image=/1.png\nog:image=/2.png\nog:image:width=2\nog:image:height=2',
    value: undefined,
  },
  {
    name: 'of the image in og:image:url and og:image:secure_url',
    tags: 'og:image:url=http://site.test/1.png\nog:image:secure_url=/1.png\nog:image:width=5\nog:image:height=6',
    value: { width: 5, height: 6 },
  },
  {
    name: 'of the image of Twitter',
    tags: 'twitter:image:src=/1.png\ntwitter:image:width=280\ntwitter:image:height=150',
    value: { width: 280, height: 150 },
    source: 'twitter:image:width and twitter:image:height',
  },
  {
    name: 'of the same image in the tags of Twitter',
    tags: 'og:image=/1.png\ntwitter:image=https://site.test/1.png\ntwitter:image:width=7\ntwitter:image:height=8',
    value: { width: 7, height: 8 },
  },
  {
    name: 'of another image in the tags of Twitter is not used',
    tags: 'og:image=/1.png\ntwitter:image=/2.png\ntwitter:image:width=7\ntwitter:image:height=8',
    value: undefined,
  },
  {
    name: 'of the fifth image is not read',
    tags: `${'og:image=data:,\n'.repeat(4)}og:image=/1.png\nog:image:width=1\nog:image:height=1`,
    value: undefined,
  },
  {
    name: 'of an image of JSON-LD is not in tags',
    tags: 'og:image:width=7\nog:image:height=8',
    value: undefined,
  },
  ...['0', '-1', '1.5', '1e3', '100%', '', '100000', 'auto', '1200 630'].map((width) => ({
    name: `needs two numbers: ${width}`,
    tags: `og:image=/1.png\nog:image:width=${width}\nog:image:height=630`,
    value: undefined,
  })),
]

const IMAGE_ALTS: Case[] = [
  {
    name: 'as plain text',
    tags: 'og:image=/1.png\nog:image:alt= A &lt;b&gt;bold&lt;/b&gt; &amp; B ',
    value: 'A bold & B',
    source: 'og:image:alt',
  },
  {
    name: 'of Twitter if Open Graph has none',
    tags: 'og:image=/1.png\nog:image:alt= \ntwitter:image=/1.png\ntwitter:image:alt=B',
    value: 'B',
    source: 'twitter:image:alt',
  },
  { name: 'of no image', tags: 'og:image:alt=A', value: undefined },
  { name: 'that is a template', tags: 'og:image=/1.png\nog:image:alt={{ alt }}', value: undefined },
  { name: 'that is long', tags: `og:image=/1.png\nog:image:alt=${'x'.repeat(2_000)}`, value: 'x'.repeat(1_000) },
]

const PLAYERS: Case[] = [
  {
    name: 'with a size',
    tags: `og:video=/embed/1\nog:video:width=1280\nog:video:height=720\nog:video:type=text/html`,
    value: { url: VIDEO, width: 1280, height: 720 },
    source: 'og:video',
  },
  {
    name: 'at its https address',
    tags: `og:video=http://site.test/v\nog:video:url=http://site.test/u\nog:video:secure_url=${VIDEO}`,
    value: { url: VIDEO },
  },
  {
    name: 'with a height only',
    tags: 'og:video=/embed/1\nog:video:width=100%\nog:video:height=80',
    value: { url: VIDEO, height: 80 },
  },
  {
    name: 'after one that needs Flash',
    tags: `og:video=/old.swf
      og:video:type=application/x-shockwave-flash
      og:video:width=1
      og:video=/embed/1
      og:video:type=text/html
      og:video:width=2`,
    value: { url: VIDEO, width: 2 },
  },
  {
    name: 'of Twitter',
    tags: 'twitter:player=/embed/1\ntwitter:player:width=480\ntwitter:player:height=480',
    value: { url: VIDEO, width: 480, height: 480 },
    source: 'twitter:player',
  },
  {
    name: 'of Twitter if that of Open Graph has no acceptable URL',
    tags: 'og:video=javascript:alert(1)\ntwitter:player=/embed/1',
    value: { url: VIDEO },
  },
  {
    name: 'with another protocol',
    tags: 'og:video=rtmp://site.test/v\ntwitter:player=data:text/html,x',
    value: undefined,
  },
  { name: 'that is too long', tags: `og:video=/${'x'.repeat(9_000)}`, value: undefined },
  { name: 'that is a template', tags: 'og:video=https://site.test/{{ id }}', value: undefined },
]

const COLORS: Case[] = [
  ...[
    '#fff',
    '#0F766E',
    '#0f766e80',
    'teal',
    'rgb(15, 118, 110)',
    'rgba(0 0 0 / 50%)',
    'hsl(120deg 50% 50%)',
    `rgb(${'1'.repeat(55)})`,
  ].map((value) => ({
    name: value,
    tags: `theme-color=${value}`,
    value,
    source: 'meta theme-color',
  })),
  { name: 'without white space', tags: 'theme-color= #FFF ', value: '#FFF' },
  {
    name: 'the first acceptable one',
    tags: 'theme-color=\ntheme-color=#12\ntheme-color=#123\ntheme-color=#456',
    value: '#123',
  },
  ...[
    '#12345',
    'var(--brand)',
    'url(//evil.test)',
    'red;color:blue',
    'expression(1)',
    'rgb(1,2',
    `rgb(${'1'.repeat(56)})`,
    'red}',
  ].map((color) => ({
    name: `not ${color}`,
    tags: `theme-color=${color}`,
    value: undefined,
  })),
]

describe.each([
  { field: 'image_size', cases: IMAGE_SIZES },
  { field: 'image_alt', cases: IMAGE_ALTS },
  { field: 'player', cases: PLAYERS },
  { field: 'theme_color', cases: COLORS },
] as const)('$field', ({ field, cases }) => {
  test.each(cases)('$name', ({ tags, value, source }) => {
    const found = extraOf(page(tags))[field]
    expect<unknown>(found?.value).toEqual(value)
    if (source !== undefined) expect(found?.source).toBe(source)
  })
})

test('URLs are resolved against the base element', () => {
  expect(extraOf(page('og:video=v', '<base href="https://cdn.test/x/">')).player?.value).toEqual({
    url: 'https://cdn.test/x/v',
  })
})

test('tags that only these fields use do not make a page one with Open Graph', () => {
  const url = new URL('https://site.test/')
  const read = (tags: string) => extractHtml({ bytes: Buffer.from(page(tags)), encoding: 'utf-8', url })
  expect(read('og:video=/v\nog:image:width=1\ntheme-color=red').evidence.hasOpenGraph).toBe(false)
  expect(read('og:url=/').evidence.hasOpenGraph).toBe(true)
})
