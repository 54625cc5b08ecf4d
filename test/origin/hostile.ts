import type { Socket } from 'node:net'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'

import { responseBytes, drip, writeForever, type Respond } from './raw-origin.ts'

/** One way in which a server can misbehave, and the expected result of a fetch. */
export interface HostileCase {
  name: string
  respond: Respond
  /** Acts on a new connection, before any request. */
  onConnect?: (socket: Socket) => void
  expected: { reason: string } | { status: number; kind: 'html' | 'image' | 'other' | 'empty'; contains?: string }
  /** Whether only the deadline ends the fetch. */
  isEndless?: boolean
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n'
const HEAD = '<head><title>Before the fault</title></head><body>'
const BOMB_BYTES = 32 * 1024 * 1024

const write =
  (bytes: string | Uint8Array): Respond =>
  (socket) =>
    void socket.end(bytes)

const encoded = (encoding: string, body: Uint8Array): Uint8Array =>
  responseBytes(200, { 'Content-Type': 'text/html', 'Content-Encoding': encoding }, body)

/** Compressed on first request, because creating the bombs takes a moment. */
const lazily = (make: () => Uint8Array): Respond => {
  let bytes: Uint8Array | undefined
  return (socket) => {
    bytes ??= make()
    socket.end(bytes)
  }
}

const zeros = () => Buffer.alloc(BOMB_BYTES, '<p>')

/** The usual quality, 11, takes ten times as long for a bomb. */
const FAST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const page = (text: string) => Buffer.from(`<title>${text}</title>`)

/** The start of gzip with a file name, whose end is missing. */
const GZIP_WITH_NAME = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3])

/** The start of gzip without a file name, and a stored block of no bytes (RFC 1951 section 3.2.4). */
const GZIP = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
const EMPTY_BLOCK = Buffer.from([0, 0, 0, 0xff, 0xff])

/** A frame of one raw block with a window of two to the power of `windowLog` (RFC 8878 section 3.1.1). */
function zstdFrame(windowLog: number, content: Buffer): Buffer {
  const blockHeader = (content.length << 3) | 1
  const header = [0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3, blockHeader & 255, (blockHeader >> 8) & 255, 0]
  return Buffer.concat([Buffer.from(header), content])
}

const TIMED_OUT = { reason: 'timed out' }
const RESET = { reason: 'connection reset' }
const INVALID = { reason: 'invalid response' }
const TOO_LARGE = { reason: 'response too large' }
const CUT = { status: 200, kind: 'html' } as const

export const HOSTILE: readonly HostileCase[] = [
  // Connections
  {
    name: 'resets the connection immediately',
    respond: () => {},
    onConnect: (socket) => socket.resetAndDestroy(),
    expected: RESET,
  },
  { name: 'resets the connection after the request', respond: (socket) => socket.resetAndDestroy(), expected: RESET },
  { name: 'closes without a response', respond: (socket) => socket.end(), expected: RESET },
  { name: 'never responds', respond: () => {}, expected: TIMED_OUT, isEndless: true },
  {
    name: 'resets the connection within the body',
    respond: (socket) => {
      socket.write(`${OK}Content-Length: 100\r\n\r\n<ti`, () => setTimeout(() => socket.resetAndDestroy(), 20))
    },
    expected: CUT,
  },

  // Not HTTP
  { name: 'sends an SSH banner', respond: write('SSH-2.0-OpenSSH_9.2\r\n'), expected: INVALID },
  {
    name: 'sends an SMTP banner before the request',
    respond: () => {},
    onConnect: (socket) => socket.end('220 mail.test ESMTP\r\n'),
    expected: INVALID,
  },
  { name: 'responds with HTTP/0.9', respond: write('<title>x</title>'), expected: INVALID },
  { name: 'sends binary data', respond: write(Buffer.alloc(1_000, 0xff)), expected: INVALID },
  {
    name: 'switches to another protocol',
    respond: write('HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    expected: INVALID,
  },
  {
    name: 'switches to an unnamed protocol',
    respond: write('HTTP/1.1 101 x\r\nContent-Type: text/html\r\n\r\n<title>x</title>'),
    expected: INVALID,
  },

  // Heads
  { name: 'sends an invalid status line slowly', respond: (socket) => drip(socket, 'H'), expected: INVALID },
  {
    name: 'sends endless headers slowly',
    respond: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      drip(socket, 'X-A: b\r\n')
    },
    expected: TIMED_OUT,
    isEndless: true,
  },
  { name: 'sends one header of 1 MB', respond: write(`${OK}X-A: ${'a'.repeat(1 << 20)}\r\n\r\n`), expected: TOO_LARGE },
  { name: 'sends a header of 30 KB', respond: write(`${OK}X-A: ${'a'.repeat(30_000)}\r\n\r\n<p>`), expected: CUT },
  { name: 'sends 201 headers', respond: write(`${OK}${'X-A: b\r\n'.repeat(200)}\r\n<p>`), expected: TOO_LARGE },
  { name: 'sends 200 headers', respond: write(`${OK}${'X-A: b\r\n'.repeat(199)}\r\n<p>`), expected: CUT },
  {
    name: 'sends endless headers',
    respond: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      writeForever(socket, `X-A: ${'a'.repeat(1_000)}\r\n`)
    },
    expected: TOO_LARGE,
  },
  {
    name: 'sends an endless status line',
    respond: (socket) => {
      socket.write('HTTP/1.1 200 ')
      writeForever(socket, 'a'.repeat(10_000))
    },
    expected: TOO_LARGE,
  },
  {
    name: 'sends endless interim responses',
    respond: (socket) => writeForever(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
    expected: INVALID,
  },
  {
    name: 'sends three interim responses',
    respond: write('HTTP/1.1 103 x\r\n\r\n'.repeat(3) + `${OK}\r\n<p>`),
    expected: CUT,
  },
  {
    name: 'sends two Content-Length headers',
    respond: write(`${OK}Content-Length: 3\r\nContent-Length: 4\r\n\r\n<p>x`),
    expected: INVALID,
  },
  {
    name: 'sends two different Locations',
    respond: write(`HTTP/1.1 302 x\r\nLocation: /a\r\nLocation: /b\r\n\r\n`),
    expected: INVALID,
  },
  { name: 'sends a status of four digits', respond: write('HTTP/1.1 2000 x\r\n\r\n<p>'), expected: INVALID },
  { name: 'closes within the status line', respond: write('HTTP/1.1 20'), expected: RESET },
  { name: 'sends five bytes before the status line', respond: write(`\r\n\r\n\n${OK}\r\n<p>`), expected: INVALID },
  {
    name: 'sends nothing after its Content-Length',
    respond: write(`${OK}Content-Length: 100\r\n\r\n`),
    expected: INVALID,
  },
  {
    name: 'ends lines without carriage returns',
    respond: write(`${OK}\r\n<p>`.replaceAll('\r', '')),
    expected: CUT,
  },
  {
    name: 'redirects without a Location',
    respond: write('HTTP/1.1 302 x\r\n\r\n'),
    expected: { status: 302, kind: 'empty' },
  },
  {
    name: 'redirects to itself',
    respond: write('HTTP/1.1 302 x\r\nLocation: /\r\n\r\n'),
    expected: { reason: 'too many redirects' },
  },
  {
    name: 'redirects with an endless body',
    respond: (socket) => {
      socket.write('HTTP/1.1 302 x\r\nLocation: http://10.0.0.1/\r\n\r\n')
      writeForever(socket, 'a'.repeat(10_000))
    },
    expected: { reason: 'address not allowed' },
  },

  // Bodies
  {
    name: 'sends an endless title slowly',
    respond: (socket) => {
      socket.write(`${OK}\r\n<title>`)
      drip(socket, 'a')
    },
    expected: TIMED_OUT,
    isEndless: true,
  },
  {
    name: 'stops within the head',
    respond: (socket) => socket.write(`${OK}Content-Length: 1000\r\n\r\n<head><title>`),
    expected: TIMED_OUT,
    isEndless: true,
  },
  {
    name: 'stops after the head',
    respond: (socket) => socket.write(`${OK}Content-Length: 1000\r\n\r\n${HEAD}`),
    expected: { status: 200, kind: 'html', contains: 'Before the fault' },
  },
  {
    name: 'stops after the end of the document, and keeps the connection open',
    respond: (socket) => socket.write(`${OK}\r\n<title>Whole</title></html>`),
    expected: { status: 200, kind: 'html', contains: 'Whole' },
  },
  {
    name: 'stops after the end of the document without a last chunk',
    respond: (socket) => socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n1c\r\n<title>Whole</title></html>\r\n`),
    expected: { status: 200, kind: 'html', contains: 'Whole' },
  },
  {
    name: 'sends an endless body',
    respond: (socket) => {
      socket.write(`${OK}\r\n`)
      writeForever(socket, '<p>'.repeat(10_000))
    },
    expected: CUT,
  },
  {
    name: 'sends an endless title',
    respond: (socket) => {
      socket.write(`${OK}\r\n<title>`)
      writeForever(socket, 'a'.repeat(10_000))
    },
    expected: CUT,
  },
  {
    name: 'truncates a chunk',
    respond: write(`${OK}Transfer-Encoding: chunked\r\n\r\n40\r\n<title>`),
    expected: CUT,
  },
  {
    name: 'truncates a chunk after the head',
    respond: write(`${OK}Transfer-Encoding: chunked\r\n\r\n400\r\n${HEAD}`),
    expected: { status: 200, kind: 'html', contains: 'Before the fault' },
  },
  {
    name: 'sends an invalid chunk size',
    respond: write(`${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\n<p>`),
    expected: INVALID,
  },
  {
    name: 'sends an endless chunk extension',
    respond: (socket) => {
      socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n1;`)
      writeForever(socket, 'a'.repeat(10_000))
    },
    expected: TOO_LARGE,
  },
  {
    name: 'sends endless trailers',
    respond: (socket) => {
      socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n`)
      writeForever(socket, `X-A: ${'a'.repeat(1_000)}\r\n`)
    },
    expected: TOO_LARGE,
  },
  {
    name: 'sends endless chunks of one byte',
    respond: (socket) => {
      socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n`)
      writeForever(socket, '1\r\na\r\n'.repeat(1_000))
    },
    expected: TOO_LARGE,
  },
  {
    name: 'sends 5,000 chunks of one byte',
    respond: write(`${OK}Transfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(5_000)}0\r\n\r\n`),
    expected: CUT,
  },
  {
    name: 'sends less than its Content-Length',
    respond: write(`${OK}Content-Length: 100\r\n\r\n<title>`),
    expected: CUT,
  },
  {
    name: 'sends less than its Content-Length, but a complete head',
    respond: write(`${OK}Content-Length: 1000\r\n\r\n${HEAD}`),
    expected: { status: 200, kind: 'html', contains: 'Before the fault' },
  },
  {
    name: 'sends more than its Content-Length',
    respond: write(`${OK}Content-Length: 3\r\n\r\n<p>and more`),
    expected: CUT,
  },
  {
    name: 'sends an empty body with 200',
    respond: write(`${OK}Content-Length: 0\r\n\r\n`),
    expected: { status: 200, kind: 'empty' },
  },
  {
    name: 'sends a body with 204',
    respond: write('HTTP/1.1 204 x\r\n\r\n<p>'),
    expected: { status: 204, kind: 'empty' },
  },
  {
    name: 'responds with 304',
    respond: write('HTTP/1.1 304 x\r\n\r\n'),
    expected: INVALID,
  },
  {
    name: 'sends an endless PDF as HTML',
    respond: (socket) => {
      socket.write(`${OK}\r\n%PDF-1.7\n`)
      writeForever(socket, Buffer.alloc(10_000))
    },
    expected: { status: 200, kind: 'other' },
  },
  {
    name: 'sends an endless video',
    respond: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n')
      writeForever(socket, Buffer.alloc(10_000))
    },
    expected: { status: 200, kind: 'other' },
  },

  // Content encodings
  { name: 'sends a gzip bomb', respond: lazily(() => encoded('gzip', gzipSync(zeros()))), expected: CUT },
  { name: 'sends a deflate bomb', respond: lazily(() => encoded('deflate', deflateSync(zeros()))), expected: CUT },
  {
    name: 'sends a brotli bomb',
    respond: lazily(() => encoded('br', brotliCompressSync(zeros(), FAST_BROTLI))),
    expected: CUT,
  },
  { name: 'sends a zstd bomb', respond: lazily(() => encoded('zstd', zstdCompressSync(zeros()))), expected: CUT },
  {
    name: 'sends a gzip bomb in a gzip bomb',
    respond: lazily(() => encoded('gzip, gzip', gzipSync(gzipSync(zeros())))),
    expected: CUT,
  },
  {
    name: 'sends gzip of gzip with endless empty blocks',
    respond: lazily(() =>
      encoded('gzip, gzip', gzipSync(Buffer.concat([GZIP, Buffer.alloc(10_000_000, EMPTY_BLOCK)]))),
    ),
    expected: TOO_LARGE,
  },
  {
    name: 'sends zstd with a window of 128 MB',
    respond: lazily(() => encoded('zstd', zstdFrame(27, page('Large window')))),
    expected: INVALID,
  },
  {
    name: 'sends zstd with a window of 8 MB',
    respond: lazily(() => encoded('zstd', zstdFrame(23, page('Small window')))),
    expected: { status: 200, kind: 'html' },
  },
  {
    name: 'sends endless empty gzip members',
    respond: (socket) => {
      socket.write(`${OK}Content-Encoding: gzip\r\n\r\n`)
      const nothing = gzipSync('')
      writeForever(socket, Buffer.concat(Array.from({ length: 1_000 }, () => nothing)))
    },
    expected: TOO_LARGE,
  },
  {
    name: 'sends gzip with an endless file name',
    respond: (socket) => {
      socket.write(`${OK}Content-Encoding: gzip\r\n\r\n`)
      socket.write(GZIP_WITH_NAME)
      writeForever(socket, Buffer.alloc(1_000, 'a'))
    },
    expected: INVALID,
  },
  {
    name: 'sends gzip with a file name that is a bomb',
    respond: lazily(() =>
      encoded('gzip, gzip', gzipSync(Buffer.concat([GZIP_WITH_NAME, Buffer.alloc(BOMB_BYTES, 'a')]))),
    ),
    expected: INVALID,
  },
  ...(
    [
      ['a line break', Buffer.from('\r\n')],
      ['a comment', Buffer.from('<!-- served by cache-3 -->')],
      ['the first byte of a member', Buffer.from([0x1f])],
      ['a member of an unknown method', Buffer.from([0x1f, 0x8b, 9, 0, 0, 0, 0, 0, 0, 3])],
      ['another member and a line break', Buffer.concat([gzipSync('<p>More'), Buffer.from('\n')])],
    ] as const
  ).map(([name, rest]) => ({
    name: `sends gzip and ${name}`,
    respond: lazily(() => encoded('gzip', Buffer.concat([gzipSync(page('Whole')), rest]))),
    expected: { status: 200, kind: 'html', contains: 'Whole' } as const,
  })),
  {
    name: 'sends two gzip members and a line break',
    respond: lazily(() =>
      encoded('gzip', Buffer.concat([gzipSync('<!doctype html><p>'), gzipSync(page('Second')), Buffer.from('\n')])),
    ),
    expected: { status: 200, kind: 'html', contains: 'Second' },
  },
  {
    name: 'compresses twice',
    respond: lazily(() => encoded('gzip, br', brotliCompressSync(gzipSync(page('Twice'))))),
    expected: { status: 200, kind: 'html', contains: 'Twice' },
  },
  {
    name: 'compresses three times',
    respond: lazily(() => encoded('gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(page('x')))))),
    expected: INVALID,
  },
  {
    name: 'declares a thousand encodings',
    respond: lazily(() => encoded(Array.from({ length: 1_000 }, () => 'gzip').join(), page('x'))),
    expected: INVALID,
  },
  {
    name: 'sends raw deflate',
    respond: lazily(() => encoded('deflate', deflateRawSync(page('Bare')))),
    expected: { status: 200, kind: 'html', contains: 'Bare' },
  },
  {
    name: 'sends raw deflate in gzip',
    respond: lazily(() => encoded('deflate, gzip', gzipSync(deflateRawSync(page('Bare'))))),
    expected: { status: 200, kind: 'html', contains: 'Bare' },
  },
  {
    name: 'declares deflate in gzip and sends something else',
    respond: lazily(() => encoded('deflate, gzip', page('x'))),
    expected: INVALID,
  },
  {
    name: 'declares deflate and sends no body',
    respond: (socket) => socket.write(`${OK}Content-Encoding: deflate\r\nContent-Length: 100\r\n\r\n`),
    expected: TIMED_OUT,
    isEndless: true,
  },
  {
    name: 'declares deflate without a length and sends no body',
    respond: (socket) => socket.write(`${OK}Content-Encoding: deflate\r\n\r\n`),
    expected: TIMED_OUT,
    isEndless: true,
  },
  {
    name: 'sends an invalid chunk together with the head, as gzip',
    respond: write(`${OK}Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n`),
    expected: INVALID,
  },
  {
    name: 'declares deflate and resets the connection',
    respond: (socket) => {
      const head = `${OK}Content-Encoding: deflate\r\nContent-Length: 100\r\n\r\n`
      socket.write(head, () => setTimeout(() => socket.resetAndDestroy(), 20))
    },
    expected: RESET,
  },
  {
    name: 'declares an unknown encoding',
    respond: lazily(() => encoded('utf-8', page('Plain'))),
    expected: { status: 200, kind: 'html', contains: 'Plain' },
  },
  { name: 'sends invalid gzip', respond: lazily(() => encoded('gzip', page('x'))), expected: INVALID },
  { name: 'sends invalid brotli', respond: lazily(() => encoded('br', page('x'))), expected: INVALID },
  { name: 'sends invalid zstd', respond: lazily(() => encoded('zstd', page('x'))), expected: INVALID },
  {
    name: 'sends an empty body as gzip',
    respond: lazily(() => encoded('gzip', Buffer.alloc(0))),
    expected: { status: 200, kind: 'empty' },
  },
  {
    name: 'sends truncated gzip with a matching Content-Length',
    respond: lazily(() => encoded('gzip', gzipSync(page('Cut short')).subarray(0, -8))),
    expected: { status: 200, kind: 'html', contains: 'Cut short' },
  },
]
