import { expect, test } from 'bun:test'

import { keyOf } from '../../../src/previews/tags/page-tags.ts'
import { cardsOf, imageUrlsOf } from '../../../src/previews/rules/preview.ts'
import { tagBlock } from '../../../src/previews/tags/tag-block.ts'
import { htmlOf, imageFacts, IMAGE_URL, PAGE_URL, tagsOf } from '../preview-page.ts'

const plain = tagsOf(htmlOf(['<title>=Loading']))
const rendered = tagsOf(htmlOf(['<title>=Done', 'og:title=Done', 'og:image=/a.jpg']))
/** Nothing was requested. */
const NOTHING = { redirects: 0, oembed: null, robots: [] }
const favicon = 'https://www.example.com/favicon.ico'

test('apps whose crawlers run no scripts get the plain page', () => {
  const cards = cardsOf({
    requestedUrl: PAGE_URL,
    url: PAGE_URL,
    tags: { plain, rendered },
    images: [],
    favicon,
    ...NOTHING,
  })
  const titles = Object.groupBy(cards, ({ title }) => title)
  expect(titles['Done']!.map(({ platform }) => platform.id)).toEqual(['google'])
  expect(titles['Loading']).toHaveLength(11)
  expect(cards.find(({ platform }) => platform.id === 'x')!.layout).toBe('none')
})

test.each([
  ['an icon', '64x64 1000 image/png', favicon],
  ['an SVG', '64x64 1000 image/svg+xml', null],
  ['an icon that failed', '!HTTP 404', null],
])('%s beside the source', (_, facts, expected) => {
  const cards = cardsOf({
    requestedUrl: PAGE_URL,
    url: PAGE_URL,
    tags: { plain: rendered },
    images: [imageFacts(facts, favicon)],
    favicon,
    ...NOTHING,
  })
  expect(cards.find(({ platform }) => platform.id === 'slack')!.icon).toBe(expected)
})

test('the images that cards may show are known once, absolute, and http(s) only', () => {
  const page = tagsOf(
    htmlOf([
      'og:image=/a.jpg',
      'twitter:image=/b.jpg',
      'og:image:secure_url=data:,x',
      'link apple-touch-icon=/s.png',
      'link apple-touch-icon-precomposed=/t.png',
    ]),
  )
  expect(imageUrlsOf({ tags: { plain: page, rendered }, favicon, oembed: null }).toSorted()).toEqual([
    IMAGE_URL,
    'https://www.example.com/b.jpg',
    favicon,
    'https://www.example.com/t.png',
  ])
  expect(imageUrlsOf({ tags: { plain }, favicon: null, oembed: null })).toEqual([])
})

test('the tags to edit keep the JSON-LD of every app', () => {
  const json = ['NewsArticle","headline":"H', 'WebSite","name":"S', 'VideoObject","name":"V']
  const page = tagsOf(htmlOf(json.map((node) => `json-ld={"@type":"${node}"}`)))
  const keys = (tags: typeof page.tags) => tags.map((tag) => `${keyOf(tag)}=${tag.value}`)
  expect(keys(page.tags)).toEqual(['json-ld headline=H', 'json-ld site name=S', 'json-ld video name=V'])
  expect(keys(tagsOf(tagBlock(page.tags)).tags)).toEqual(keys(page.tags))
})

test('the tags to edit are those that previews read, and give the same tags again', () => {
  const tags = [
    '<title>=A "B" & <C>',
    'og:title=T',
    'viewport=x',
    'theme-color=#fff',
    'link canonical=/c',
    'twitter:card=summary',
  ]
  const block = tagBlock(tagsOf(htmlOf(tags)).tags)
  expect(block).not.toContain('viewport')
  expect(block).not.toContain('<script')
  expect(tagsOf(block).tags.map((tag) => [keyOf(tag), tag.value])).toEqual([
    ['<title>', 'A "B" & <C>'],
    ['og:title', 'T'],
    ['theme-color', '#fff'],
    ['link canonical', '/c'],
    ['twitter:card', 'summary'],
  ])
})

test('JSON-LD and the oEmbed endpoint are among the tags to edit', () => {
  const html = `<script type="application/ld+json">{"@type":"WebPage","headline":"A </scr","author":{"name":"Jo"},
"publisher":{"name":"P"}}</script><link rel="alternate" type="application/json+oembed" href="/o?a=1&amp;b=2">`
  const tags = (text: string) => tagsOf(text).tags.map((tag) => [keyOf(tag), tag.value])
  expect(tags(html)).toHaveLength(4)
  expect(tags(tagBlock(tagsOf(html).tags))).toEqual(tags(html))
})
