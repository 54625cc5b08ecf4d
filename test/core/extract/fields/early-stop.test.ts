import { describe, expect, test } from 'bun:test'

import { extractHtml, PageScan } from '../../../../src/core/extract/extract.ts'
import { MAX_BYTES_AFTER_HEAD } from '../../../../src/core/extract/page/checkpoints.ts'

const HOME = new URL('https://site.test/?page=1')
const PAGE = new URL('https://site.test/a/b/page')

const TITLE = '<meta property="og:title" content="T">'
const AUTHOR = '<meta name="author" content="Jo Doe">'
const DATE = '<meta property="article:published_time" content="2016-05-04">'
const JSON_LD =
  '<script type="application/ld+json">{"@type":"Article","author":"Jo","datePublished":"2016-05-04"}</script>'
const KNOWN = `${TITLE}${AUTHOR}${DATE}`

/** Whether reading stops within these first bytes of a page. */
function stopsWithin(bytes: Uint8Array, url: URL): boolean {
  const scan = new PageScan(url)
  scan.read(bytes)
  return scan.isDone
}

const stopsAfter = (html: string, url: URL) => stopsWithin(new TextEncoder().encode(html), url)

describe('the end of the head', () => {
  test.each([
    ['an empty page', '', false],
    ['title, head open', `<head>${TITLE}`, false],
    ['title, head closed', `<head>${TITLE}</head>`, true],
    ['title, body begun', `<head>${TITLE}<body>`, true],
    ['title, body with attributes', `${TITLE}<BODY class="a>b">`, true],
    ['title by name', `<meta name=og:title content=T></head>`, true],
    ['incomplete end tag', `${TITLE}</head`, false],
    ['end tag with a space', `${TITLE}</head >`, true],
    ['incomplete body tag', `${TITLE}<body class="`, false],
    ['no title', '<title>T</title></head>', false],
    ['blank title', '<meta property="og:title" content=" "></head>', false],
    ['title without content', '<meta property="og:title"></head>', false],
    ['title after the head', `</head>${TITLE}</head>`, false],
    ['title in the body', `<body>${TITLE}</body>`, false],
    ['title in a comment', `<!-- ${TITLE} --></head>`, false],
    ['title in a template', `<template>${TITLE}</template></head>`, false],
    ['end in a comment', `${TITLE}<!-- </head>`, false],
    ['end in a script', `${TITLE}<script>"</head>"`, false],
    ['end in a style', `${TITLE}<style></head></style>`, false],
    ['end in an attribute', `${TITLE}<meta content="</head>">`, false],
    ['end in a template', `${TITLE}<template></head><body>`, false],
    ['end after a template', `${TITLE}<template><p></template></head>`, true],
    ['another tag with the same prefix', `${TITLE}<header></header><bodyx>`, false],
    ['elements of the body before the end of the head', `${TITLE}<div></div>`, false],
  ])('of a home page: %s', (_, html, expected) => expect(stopsAfter(html, HOME)).toBe(expected))
})

describe('how far a page is read', () => {
  const filler = (bytes: number) => '<p>x</p>'.repeat(Math.ceil(bytes / 8))

  test.each([
    ['author and date in the head', PAGE, `${KNOWN}</head>`, true],
    ['no author in the head', PAGE, `${TITLE}${DATE}</head>`, false],
    ['no date in the head', PAGE, `${TITLE}${AUTHOR}</head>`, false],
    ['an author that is not a name', PAGE, `${TITLE}${DATE}<meta name=author content=admin></head>`, false],
    [
      'the site as author',
      PAGE,
      `${TITLE}${DATE}<meta property=og:site_name content=Site>
      <meta name=author content=Site></head>`,
      false,
    ],
    ['a home page without author and date', HOME, `${TITLE}</head>`, true],
    ['a page that is not the home page', new URL('https://site.test/x'), `${TITLE}</head>`, false],
    ['author and date without og:title', PAGE, `${AUTHOR}${DATE}</head><body>`, false],
    ['JSON-LD in the body', PAGE, `${TITLE}</head><body>${JSON_LD}`, true],
    ['incomplete JSON-LD in the body', PAGE, `${TITLE}</head><body>${JSON_LD.slice(0, -10)}`, false],
    ['JSON-LD without a date', PAGE, `${TITLE}</head><body>${JSON_LD.replace('datePublished', 'x')}`, false],
    [
      'a day in the path, which may be wrong',
      new URL('https://site.test/2016/05/04/x'),
      `${TITLE}${AUTHOR}</head>`,
      false,
    ],
    ['a byline soon after the head', PAGE, `${TITLE}${DATE}</head><h1>T</h1><p class=byline>By Jo Doe</p>`, false],
    [
      'a byline and more than 32 KB after it',
      PAGE,
      `${TITLE}${DATE}</head><h1>T</h1><p class=byline>By Jo Doe</p>${filler(33_000)}`,
      true,
    ],
    ['at the limit', PAGE, `${TITLE}</head>${filler(MAX_BYTES_AFTER_HEAD)}`, false],
    ['beyond the limit', PAGE, `${TITLE}</head>${filler(MAX_BYTES_AFTER_HEAD)}<`, true],
    ['no og:title, no limit', PAGE, `</head>${filler(MAX_BYTES_AFTER_HEAD)}<p>`, false],
    ['in a script across the limit', PAGE, `${TITLE}</head><script>${'x'.repeat(MAX_BYTES_AFTER_HEAD)}`, true],
  ])('%s', (_, url, html, expected) => expect(stopsAfter(html, url)).toBe(expected))

  const authorAfter = (bytes: number) => {
    const html = `${TITLE}</head>${filler(bytes)}${AUTHOR}`
    return extractHtml({ bytes: new TextEncoder().encode(html), encoding: 'utf-8', url: PAGE }).metadata.meta?.author
  }

  test('an author before the limit is read, one after it is not', () => {
    expect(authorAfter(MAX_BYTES_AFTER_HEAD - 40)).toBe('Jo Doe')
    expect(authorAfter(MAX_BYTES_AFTER_HEAD)).toBeUndefined()
  })

  test('a date in the future does not end reading, because it is ignored', () => {
    const html = `${TITLE}${AUTHOR}</head><h1>T</h1><p class=published>2016-05-04</p>${filler(20_000)}<p class=date>x</p>`
    const stops = (now: string) => {
      const scan = new PageScan(PAGE, 'utf-8', Date.parse(now))
      scan.read(new TextEncoder().encode(html))
      return scan.isDone
    }
    expect(stops('2016-05-05')).toBe(true)
    expect(stops('2016-05-01')).toBe(false)
  })

  test('a page truncated where reading stops has the same result', () => {
    const body = `<h1>T</h1><p class=byline>By Jo Doe</p><p class=published>2016-05-04</p>${filler(20_000)}`
    const whole = new TextEncoder().encode(`${TITLE}</head>${body}<p class=byline>By Ann Roe${filler(9_000)}`)
    const extract = (bytes: Uint8Array) => extractHtml({ bytes, encoding: 'utf-8', url: PAGE })
    let length = 1
    while (!stopsWithin(whole.subarray(0, length), PAGE)) length += 500
    expect(length).toBeLessThan(whole.length / 2 + 5_000)
    expect(extract(whole).metadata.meta).toEqual({ author: 'Jo Doe', published_time: '2016-05-04' })
    expect(extract(whole.subarray(0, length))).toEqual(extract(whole))
  })
})
