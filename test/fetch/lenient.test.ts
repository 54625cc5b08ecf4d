import { describe, expect, test } from 'bun:test'

import { PageScan } from '../../src/core/extract/extract.ts'
import { createExtractor } from '../../src/service/lookup/extractor.ts'
import { openRawOrigin, pathOf } from '../origin/raw-origin.ts'
import { budgetOf } from './budget.ts'
import { fetcherFor } from './fetcher-for.ts'

const page = (title: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title><meta name="description" content="D"></head><body><p>T</p></body></html>`
const PAGE = page('The page')
const TYPE = 'Content-Type: text/html; charset=utf-8\r\n'
const LENGTH = `Content-Length: ${PAGE.length}\r\n`
const ok = (fields: string, body = PAGE) => `HTTP/1.1 200 OK\r\n${fields}\r\n${body}`
const redirect = (fields: string) => `HTTP/1.1 302 Found\r\n${fields}Content-Length: 0\r\n\r\n`
const XHTML = 'Content-Type: application/xhtml+xml\r\n'
const NAMESPACE = 'xmlns="http://www.w3.org/1999/xhtml"'
const PDF = 'Content-Type: application/pdf\r\n'

/** A response, in Latin-1, and the title that Chromium 156 shows for it, or the target's path if it redirects. */
type Lenient = readonly [response: string, title: string]

const HEADS: Readonly<Record<string, Lenient>> = {
  'two types, of which the last counts': [
    ok(`Content-Type: application/octet-stream\r\nContent-Type: text/html\r\n${LENGTH}`),
    'The page',
  ],
  'two types in one field': [ok(`Content-Type: text/plain, text/html\r\n${LENGTH}`), 'The page'],
  'a type with a comment': [ok(`Content-Type: text/html (x)\r\n${LENGTH}`), 'The page'],
  'a type with a parameter after a blank': [
    ok('Content-Type: text/html charset=utf-8\r\n', '<i>x</i><title>T</title>'),
    'T',
  ],
  'a type and one that is none': [ok(`Content-Type: text/html\r\nContent-Type: none\r\n${LENGTH}`), 'The page'],
  'two charsets, of which the last counts': [
    ok(
      'Content-Type: text/html; charset=windows-1251\r\nContent-Type: text/html; charset=utf-8\r\n',
      '<title>Gr\xc3\xbcn</title>',
    ),
    'Grün',
  ],
  'a charset that is kept for the same type': [
    ok('Content-Type: text/html; charset=windows-1251\r\nContent-Type: text/html\r\n', '<title>\xcf\xf0</title>'),
    'Пр',
  ],
  'the same length twice': [ok(TYPE + LENGTH + LENGTH), 'The page'],
  'the same length in a list': [ok(`${TYPE}Content-Length: ${PAGE.length}, ${PAGE.length}\r\n`), 'The page'],
  'an empty length': [ok(`${TYPE}Content-Length:\r\n`), 'The page'],
  'a blank before the colon': [ok(`${TYPE}X-Powered-By : engine\r\n${LENGTH}`), 'The page'],
  'a name with a blank': [ok(`${TYPE}X Cache: HIT\r\n${LENGTH}`), 'The page'],
  'a line without a colon': [ok(`${TYPE}stray text\r\n${LENGTH}`), 'The page'],
  'a warning of PHP': [ok(`<br />\n<b>Warning</b>: x in <b>y</b>\r\n${TYPE}${LENGTH}`), 'The page'],
  'HTTP/2 as text': [`HTTP/2 200 OK\r\n${TYPE}${LENGTH}\r\n${PAGE}`, 'The page'],
  'http/1.1 and 200OK': [`http/1.1 200OK\r\n${TYPE}${LENGTH}\r\n${PAGE}`, 'The page'],
  'a byte-order mark before it': [`\xef\xbb\xbf${ok(TYPE + LENGTH)}`, 'The page'],
  'HTTP/1.0 with chunks that are none': [
    `HTTP/1.0 200 OK\r\n${TYPE}Transfer-Encoding: chunked\r\n\r\n${PAGE}`,
    'The page',
  ],
  'a stray trailer': [
    ok(`${TYPE}Transfer-Encoding: chunked\r\n`, `${PAGE.length.toString(16)}\r\n${PAGE}\r\n0\r\nstray\r\n\r\n`),
    'The page',
  ],
  'a body that is cut': [
    ok(`${TYPE}Content-Length: 999\r\n`, '<!doctype html><title>The page</title><p>Text'),
    'The page',
  ],
}

const REDIRECTS: Readonly<Record<string, Lenient>> = {
  'no Location': [`HTTP/1.1 302 Found\r\n${TYPE}${LENGTH}\r\n${PAGE}`, 'The page'],
  'an empty Location': [`HTTP/1.1 302 Found\r\nLocation:\r\n${TYPE}${LENGTH}\r\n${PAGE}`, 'The page'],
  'a Location in Latin-1': [redirect('Location: /caf\xe9\r\n'), '/caf%E9'],
  'a Location with a user': [redirect('Location: http://u:p@127.0.0.1:{PORT}/target\r\n'), '/target'],
  'a head that ends with its connection': ['HTTP/1.1 302 Found\r\nLocation: /target\r\n', '/target'],
  'a Refresh header': [ok(`${TYPE}Refresh: 0; url=/target\r\n`, '<p>You are being redirected'), '/target'],
  'a Refresh header without a body': [ok(`${TYPE}Refresh: 0;URL='/target'\r\n`, ''), '/target'],
  'a Refresh header in UTF-8': [ok(`${TYPE}Refresh: 1, /caf\xc3\xa9\r\n`, ''), '/caf%C3%A9'],
  'a Refresh header to the page itself': [ok(`${TYPE}Refresh: 5; url=/start\r\n`, '<title>Status</title>'), 'Status'],
  'a refresh of the page itself': [ok(TYPE, '<title>Status</title><meta http-equiv=refresh content=3>'), 'Status'],
  'a Refresh header in Latin-1': [ok(`${TYPE}Refresh: 0; url=/caf\xe9\r\n`, '<p>x'), '/caf%C3%A9'],
  'a Refresh header with a long delay': [ok(`${TYPE}Refresh: 300; url=/target\r\n`), 'The page'],
  'a Refresh header on a page with a description': [
    ok(`${TYPE}Refresh: 0; url=/target\r\n`, '<title>The page</title><meta name=description content=D>'),
    '/target',
  ],
  'a Refresh header on a page with content': [
    ok(`${TYPE}Refresh: 0; url=/target\r\n`, `<title>The page</title><p>${'Text. '.repeat(50)}`),
    'The page',
  ],
}

const DOCUMENTS: Readonly<Record<string, Lenient>> = {
  'XHTML with an empty script': [
    ok(XHTML, `<html ${NAMESPACE}><head><script src="a.js"/><style/><title>The page</title></head><body/></html>`),
    'The page',
  ],
  'XHTML with an empty title': [ok(XHTML, `<html ${NAMESPACE}><head><title/></head><body><p>x</p></body></html>`), ''],
  'XHTML with an empty template': [
    ok(XHTML, `<html ${NAMESPACE}><head><template/><noscript/><title>The page</title></head></html>`),
    'The page',
  ],
  'XHTML with a prefix': [
    ok(XHTML, `<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:title>The page</h:title></h:head></h:html>`),
    'The page',
  ],
  'XHTML with entities of its own': [
    ok(
      XHTML,
      `<!DOCTYPE html [<!ENTITY site "The &amp; Co">]><html ${NAMESPACE}><head><title>&site;</title></head></html>`,
    ),
    'The & Co',
  ],
  'HTML with an empty script, which swallows the rest': [ok(TYPE, '<script/><title>The page</title>'), ''],
  'a feed with names of another prefix': [
    ok(
      'Content-Type: application/rss+xml\r\n',
      '<rss><channel><media:title>M</media:title><title>The feed</title></channel></rss>',
    ),
    'The feed',
  ],
  'an SVG with a title': [
    ok(
      'Content-Type: image/svg+xml\r\n',
      '<svg xmlns="http://www.w3.org/2000/svg"><g/><title>The &amp; page</title></svg>',
    ),
    'The & page',
  ],
  'an SVG with sections, comments, entities and a prefix': [
    ok(
      'Content-Type: image/svg+xml\r\n',
      '<!DOCTYPE svg [<!ENTITY e "E">]><s:svg><s:title>A <![CDATA[B]]> C<!-- x --> D &e;</s:title></s:svg>',
    ),
    'A B C D E',
  ],
  'a document that is no SVG': [ok('Content-Type: image/svg+xml\r\n', '<html><title>H</title></html>'), ''],
  'an SVG with a title of a part only': [
    ok('Content-Type: image/svg+xml\r\n', '<svg xmlns="http://www.w3.org/2000/svg"><g><title>Part</title></g></svg>'),
    '',
  ],
  'a PDF with a file name': [
    ok(`${PDF}Content-Disposition: inline; filename="Annual report.pdf"\r\n`, '%PDF-1.7 '),
    'Annual report.pdf',
  ],
  'a PDF with an extended file name': [
    ok(`${PDF}Content-Disposition: attachment; filename="x.pdf"; filename*=UTF-8''na%C3%AFve.pdf\r\n`, '%PDF-1.7 '),
    'naïve.pdf',
  ],
  'a PDF with the same file name twice': [
    ok(
      `${PDF}Content-Disposition: inline; filename=a.pdf\r\nContent-Disposition: inline; filename=a.pdf\r\n`,
      '%PDF-1.7 ',
    ),
    'a.pdf',
  ],
  'a PDF without a file name': [ok(PDF, '%PDF-1.7 '), 'start'],
}

/** The title of the page at the end, or the path of a page that only says its path. */
async function titleOf(response: string): Promise<string> {
  const extractor = createExtractor(Date.now)
  await using origin = await openRawOrigin((socket, head) => {
    const target = pathOf(head)
    const answer = target === '/start' ? response.replaceAll('{PORT}', String(origin.port)) : ok(TYPE, page(target))
    socket.end(Buffer.from(answer, 'latin1'))
  })
  await using fetcher = fetcherFor([`127.0.0.1:${origin.port}`], {
    startScan: (url) => new PageScan(url),
    refreshOf: extractor.refreshOf,
  })
  using budget = budgetOf()
  const fetched = await fetcher.fetch(new URL(`http://127.0.0.1:${origin.port}/start`), budget)
  return extractor.of(fetched).metadata.title ?? ''
}

describe.each(Object.entries({ HEADS, REDIRECTS, DOCUMENTS }))('what Chromium shows, %s:', (_, cases) => {
  test.each(Object.entries(cases))('%s', async (_name, [response, title]) =>
    expect(await titleOf(response)).toBe(title),
  )
})

test('a home page that pauses after its head is waited for', async () => {
  await using origin = await openRawOrigin((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${TYPE}\r\n<head><title>Home</title></head><body>`)
    setTimeout(() => socket.end('<p>Late</html>'), 600)
  })
  await using fetcher = fetcherFor([`127.0.0.1:${origin.port}`], { startScan: (url) => new PageScan(url) })
  using budget = budgetOf()
  const { bytes, trace } = await fetcher.fetch(new URL(`http://127.0.0.1:${origin.port}/`), budget)
  expect(new TextDecoder().decode(bytes)).toContain('Late')
  expect(trace.hops[0]!.stopped).toBe('end')
})

test('a page that sets a cookie and reloads itself is read with the cookie', async () => {
  await using origin = await openRawOrigin((socket, head) => {
    const reload = ok(`${TYPE}Set-Cookie: seen=1\r\n`, '<meta http-equiv=refresh content=0>')
    socket.end(/^cookie: seen=1\r$/im.test(head) ? ok(TYPE) : reload)
  })
  const extractor = createExtractor(Date.now)
  await using fetcher = fetcherFor([`127.0.0.1:${origin.port}`], { refreshOf: extractor.refreshOf })
  using budget = budgetOf()
  const fetched = await fetcher.fetch(new URL(`http://127.0.0.1:${origin.port}/`), budget)
  expect(extractor.of(fetched).metadata.title).toBe('The page')
})

test('a site that redirects to itself once, or until it gets its cookie, is read', async () => {
  const seen = new Map<string, number>()
  await using origin = await openRawOrigin((socket, head) => {
    const path = pathOf(head)
    const count = (seen.get(path) ?? 0) + 1
    seen.set(path, count)
    const isPassed = path === '/once' ? count > 1 : /^cookie: passed\r$/im.test(head)
    socket.end(
      isPassed ? ok(TYPE) : redirect(`${path === '/once' ? '' : 'Set-Cookie: passed\r\n'}Location: ${path}\r\n`),
    )
  })
  await using fetcher = fetcherFor([`127.0.0.1:${origin.port}`])
  using budget = budgetOf()
  for (const path of ['/once', '/cookie']) {
    const { trace, status } = await fetcher.fetch(new URL(`http://127.0.0.1:${origin.port}${path}`), budget)
    expect(status).toBe(200)
    expect(trace.hops).toHaveLength(2)
    expect(trace.hops[0]!.cookiesSet).toEqual(path === '/cookie' ? ['(no name)'] : [])
  }
})
