import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { join } from 'node:path'

import { PageScan } from '../../src/core/extract/extract.ts'
import { READ_BYTES } from '../../src/core/fetch/content-type.ts'
import { createExtractor } from '../../src/service/lookup/extractor.ts'
import { openRawOrigin } from '../origin/raw-origin.ts'
import { budgetOf } from './budget.ts'
import { fetcherFor } from './fetcher-for.ts'

/** The expected result of a file in test/fixtures/files. */
interface Expected {
  url: string
  contentType: string
  /** Complete: a field that is missing here must be absent. */
  metadata: object
  sources?: Record<string, string>
}

const FILES = join(import.meta.dir, '../fixtures/files')
const names = [...new Glob('*/file').scanSync(FILES)].map((path) => path.split('/')[0]!).toSorted()

/**
 * Fetches and describes a file.
 * @param fields the head of the response after its status line
 * @param keepsOpen whether the connection stays open after these bytes
 */
async function described(url: URL, fields: string, body: Uint8Array, keepsOpen = false) {
  await using origin = await openRawOrigin((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${fields}\r\n`)
    if (keepsOpen) socket.write(body)
    else socket.end(body)
  })
  await using fetcher = fetcherFor([`127.0.0.1:${origin.port}`], { startScan: (at) => new PageScan(at) })
  using budget = budgetOf()
  const fetched = await fetcher.fetch(new URL(url.pathname, `http://127.0.0.1:${origin.port}`), budget)
  const { metadata, sources } = createExtractor(Date.now).of({ ...fetched, url })
  return { metadata, sources, bytes: fetched.bytes.length, stopped: fetched.trace.hops[0]?.stopped }
}

describe('what a file says about itself', () => {
  test.each(names)('%s', async (name) => {
    const expected: Expected = await Bun.file(join(FILES, name, 'expected.json')).json()
    const file = await Bun.file(join(FILES, name, 'file')).bytes()
    const { metadata, sources } = await described(
      new URL(expected.url),
      `Content-Type: ${expected.contentType}\r\n`,
      file,
    )
    expect(metadata as object).toEqual(expected.metadata)
    if (expected.sources) expect(sources).toEqual(expected.sources)
  })
})

const FEED = '<rss><channel><title>The channel</title>'
const PDF = '%PDF-1.4\n1 0 obj\n<</Title (A page)/Producer (Test)/CreationDate (D:2026)>>\nendobj\n'

describe('how much of a file is read:', () => {
  test.each<[name: string, type: string, limit: number, start: string, rest: string]>([
    ['the start of a long feed', 'text/xml', READ_BYTES.get('application/xml')!, FEED, '<item>x</item>'],
    ['the start of a long PDF', 'application/pdf', READ_BYTES.get('application/pdf')!, PDF, '2 0 obj 1 endobj '],
  ])('%s', async (_, type, limit, start, rest) => {
    const body = Buffer.from(start + rest.repeat(300_000 / rest.length))
    const { metadata, bytes, stopped } = await described(
      new URL('https://site.test/f'),
      `Content-Type: ${type}\r\n`,
      body,
    )
    expect(metadata.title).toBe(start === FEED ? 'The channel' : 'A page')
    expect(bytes).toBe(limit)
    expect(stopped).toBe('rest not needed')
  })

  // Without a title in time, a file has its name.
  test.each<[name: string, type: string, body: string, title: string]>([
    ['what has arrived of a feed that pauses', 'application/rss+xml', FEED + ' '.repeat(5_000), 'The channel'],
    ['what has arrived of a PDF that pauses', 'application/pdf', PDF, 'A page'],
    ['what has arrived of a PDF that pauses before its title', 'application/pdf', `%PDF-1.7\n${' '.repeat(99)}`, 'f.x'],
    ['nothing of JSON that pauses', 'application/json', `{${' '.repeat(99)}`, 'f.x'],
  ])('%s', async (_, type, body, title) => {
    const fields = `Content-Type: ${type}\r\nContent-Length: 1000000\r\n`
    const { metadata } = await described(new URL('https://site.test/f.x'), fields, Buffer.from(body), true)
    expect(metadata.title).toBe(title)
  })
})
