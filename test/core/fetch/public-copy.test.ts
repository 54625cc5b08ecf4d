import { describe, expect, test } from 'bun:test'

import { publicCopy } from '../../../src/core/fetch/public-copy.ts'
import { type FetchTrace, type Hop, startHop } from '../../../src/core/fetch/trace.ts'

const hop = (url: string, address: string, changes: Partial<Hop> = {}): Hop => {
  const isPublic = address.startsWith('93.')
  const verdict = isPublic ? ('public' as const) : ('private' as const)
  return { ...startHop(new URL(url), 'redirect'), addresses: [{ address, verdict, refusal: null }], ...changes }
}
const PUBLIC = hop('https://example.com/a', '93.184.216.34')

/** A text of a result as it is shown after these hops. */
const shown = (text: string, ...hops: Hop[]) => publicCopy({ text }, { hops: [PUBLIC, ...hops] }).text

describe('a page on a private host', () => {
  const inner = hop('http://Wiki.corp.example:8080/page', '10.0.0.5')
  test.each<[name: string, text: string, expected: string]>([
    ['its URL', 'http://wiki.corp.example:8080/page', 'http://private.invalid/'],
    ['another of its URLs', 'see https://wiki.corp.example/x?y#z now', 'see http://private.invalid/ now'],
    ['its host in upper case', 'WIKI.CORP.EXAMPLE', 'private.invalid'],
    ['its address', '10.0.0.5:81 and 10.0.0.55', 'private.invalid:81 and 10.0.0.55'],
    ['its address in another spelling', 'http://0x0a000005/', 'http://private.invalid/'],
    ['a host in a tag', '<meta content="//wiki.corp.example/a.png">', '<meta content="http://private.invalid/">'],
    ['a host in a parameter', '/i?u=http%3A%2F%2Fwiki.corp.example%2Fa', '/i?u=http%3A%2F%2Fprivate.invalid%2Fa'],
    ['a host that was not requested', 'https://cdn.corp.example/a.png', 'http://private.invalid/'],
    ['the requested host', 'https://example.com/b', 'https://example.com/b'],
    ['no URL', 'A page // about 10 things: 1.2.3', 'A page // about 10 things: 1.2.3'],
  ])('%s', (_, text, expected) => expect(shown(text, inner)).toBe(expected))

  test.each([
    ['http://intranet/', 'http://private.invalid/'],
    ['?u=http%3A%2F%2Fintranet%2F', '?u=http%3A%2F%2Fprivate.invalid%2F'],
    ['Our intranet', 'Our intranet'],
  ])('of one word: %s', (text, expected) => expect(shown(text, hop('http://intranet/', '10.0.0.5'))).toBe(expected))

  test('of an IPv6 address', () => {
    const inner6 = hop('http://[fd00::5]/', 'fd00::5')
    expect(shown('http://[fd00::5]:81/ fd00::5', inner6)).toBe('http://private.invalid/ private.invalid')
  })
})

describe('other hosts stay', () => {
  const outer = hop('https://www.example.com/', '93.184.216.34')
  test.each<[name: string, text: string, hops: Hop[], expected: string]>([
    ['on a public page', 'http://cdn.example/ http://10.0.0.5/', [outer], 'http://cdn.example/ http://10.0.0.5/'],
    [
      'on a public page behind a private host',
      'http://cdn.example/ http://a.corp/',
      [hop('http://a.corp/', '10.0.0.5'), outer],
      'http://cdn.example/ http://private.invalid/',
    ],
    [
      'that the site named and the guard refused',
      'http://a.corp/',
      [hop('http://a.corp/', '10.0.0.5', { refusal: 'private' })],
      'http://a.corp/',
    ],
  ])('%s', (_, text, hops, expected) => expect(shown(text, ...hops)).toBe(expected))

  test('if they are the requested host', () => {
    const [first, second] = [hop('http://10.0.0.5/', '10.0.0.5'), hop('http://a.corp/', '10.0.0.5')]
    const text = 'http://10.0.0.5/ http://a.corp/'
    expect(publicCopy({ text }, { hops: [first] }).text).toBe(text)
    expect(publicCopy({ text }, { hops: [first, second] }).text).toBe('http://10.0.0.5/ http://private.invalid/')
  })
})

test('hides the private host of an oEmbed endpoint, and the addresses in the trace', () => {
  const oembed = { hops: [hop('http://oembed.corp/', '10.0.0.5', { keptConnectionTo: '10.0.0.5' })], durationMs: 1 }
  const trace: FetchTrace = { hops: [PUBLIC], oembed }
  const copy = publicCopy({ details: { trace }, image: 'http://oembed.corp/a.png' }, trace)
  expect(copy.image).toBe('http://private.invalid/')
  expect(JSON.stringify(copy)).not.toMatch(/corp|10\.0/)
  expect(copy.details.trace.hops).toEqual([PUBLIC])
})

test.each<FetchTrace | null | undefined>([null, undefined, { hops: [] }])(
  'without hops nothing is hidden: %p',
  (trace) => {
    expect(publicCopy({ text: 'http://10.0.0.5/' }, trace)).toEqual({ text: 'http://10.0.0.5/' })
  },
)

test('reads a text of 2 MB of slashes once', () => {
  const inner = hop('http://a.corp/', '10.0.0.5')
  for (const part of ['/', '//a', 'http:', '10.0.0.']) expect(shown(part.repeat(500_000), inner)).toBeString()
})
