import { expect, test } from 'bun:test'

import { listPageTags } from '../../../src/previews/tags/list-page-tags.ts'
import { oembedFactsOf } from '../../../src/previews/rules/oembed-facts.ts'
import { userCaller } from '../../../src/previews/service/preview-caller.ts'
import type { PlaygroundSuccessRecord } from '../../../src/previews/service/playground-record.ts'
import { createPreviewRequests } from '../../../src/previews/service/preview-requests.ts'

const PAGE = 'https://example.com/a'
const OPTIONS = { signal: new AbortController().signal, readCache: true }

function outcomeOf(html: string): PlaygroundSuccessRecord {
  const plain = listPageTags({ bytes: new TextEncoder().encode(html), encoding: 'utf-8', url: new URL(PAGE) })
  return {
    kind: 'success',
    url: PAGE,
    result: { favicon: 'https://example.com/icon.png', fetched_at: '', fetch_method: 'http', response_time_ms: 1 },
    cached: false,
    details: { sources: {}, trace: { hops: [] }, tags: { plain } },
    images: [],
    oembed: null,
    robots: [],
    editedTags: null,
  }
}

function open(allowsOembed = true) {
  const asked: string[] = []
  const requests = createPreviewRequests({
    imageProxy: {
      link: () => ({ url: '', expiresAtMs: 0, signature: '' }),
      fetch: async () => null,
      inspect: async (_, urls) => {
        asked.push(...urls.map((url) => `image ${url}`))
        return urls.map((url) => ({ url, problem: '', mimeType: 'image/png', bytes: 1, size: null }))
      },
    },
    pageFiles: {
      robots: async (_, urls) => {
        asked.push(...urls.map((url) => `robots ${url}`))
        return urls.map((url) => ({ url, file: '', problem: '', disallowed: [] }))
      },
      oembed: async (_, url) => {
        asked.push(`oembed ${url}`)
        const json = '{"type":"link","thumbnail_url":"/thumbnail.png"}'
        return oembedFactsOf(url, { bytes: new TextEncoder().encode(json), url: new URL(url) })
      },
    },
    allowsOembed: () => allowsOembed,
  })
  return { requests, asked }
}

const HTML = `<meta property=og:image content=/a.png><link rel=alternate type="application/json+oembed" href=/o.json>`
const WITHOUT_OEMBED = [
  'image https://example.com/a.png',
  'image https://example.com/icon.png',
  'robots https://example.com/a',
  'robots https://example.com/a.png',
]

test('requests what is not known yet, and the thumbnail of the oEmbed response', async () => {
  const { requests, asked } = open()
  const outcome = await requests(userCaller('jo'), outcomeOf(HTML), OPTIONS)
  expect(asked.toSorted()).toEqual([
    'image https://example.com/a.png',
    'image https://example.com/icon.png',
    'image https://example.com/thumbnail.png',
    'oembed https://example.com/o.json',
    'robots https://example.com/a',
    'robots https://example.com/a.png',
  ])
  expect([outcome.images.length, outcome.robots.length, outcome.oembed?.type]).toEqual([3, 2, 'link'])

  asked.length = 0
  await requests(
    userCaller('jo'),
    { ...outcome, editedTags: `${HTML}<meta name="twitter:image" content="/b.png">` },
    OPTIONS,
  )
  expect(asked.filter((request) => !request.includes('thumbnail')).toSorted()).toEqual([
    'image https://example.com/b.png',
    'robots https://example.com/b.png',
  ])
})

test('a result keeps the latest 24 images and the robots.txt of the latest 12 URLs', async () => {
  const { requests } = open()
  let outcome = outcomeOf(HTML)
  for (let n = 0; n < 30; n++) {
    const editedTags = `<meta property="og:image" content="/${n}.png">`
    outcome = await requests(userCaller('jo'), { ...outcome, editedTags }, OPTIONS)
  }
  const latest = (count: number) => Array.from({ length: count }, (_, i) => `https://example.com/${30 - count + i}.png`)
  // The page and its icon are requested again when they were removed.
  const edited = (all: readonly { url: string }[]) => all.map(({ url }) => url).filter((url) => /\d\.png$/.test(url))
  expect([outcome.images.length, edited(outcome.images)]).toEqual([24, latest(23)])
  expect([outcome.robots.length, edited(outcome.robots)]).toEqual([12, latest(11)])
})

test('requests no oEmbed response where the operator has switched it off', async () => {
  const { requests, asked } = open(false)
  expect((await requests(userCaller('jo'), outcomeOf(HTML), OPTIONS)).oembed).toBeNull()
  expect(asked.toSorted()).toEqual(WITHOUT_OEMBED)
})
