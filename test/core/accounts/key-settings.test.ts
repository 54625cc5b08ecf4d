import { describe, expect, test } from 'bun:test'

import { parseAddress } from '../../../src/core/net/address.ts'
import { expiryDayOf, parseExpiryDay, parseOverlap, successorExpiry } from '../../../src/core/accounts/key-expiry.ts'
import {
  isClientAllowed,
  isHostAllowed,
  KEY_SETTINGS,
  MAX_ALLOWED,
  rangesOf,
} from '../../../src/core/accounts/key-settings.ts'

const parseAllowedHosts = (text: string) => KEY_SETTINGS.allowedHosts.parse(text, 0)
const parseAllowedAddresses = (text: string) => KEY_SETTINGS.allowedAddresses.parse(text, 0)

const at = (text: string) => Date.parse(text)
const NOON = at('2026-11-20T12:00:00Z')
const MIDNIGHT = at('2026-11-21T00:00:00Z')

describe('the expiry of a key', () => {
  test.each([
    ['none', '', null],
    ['today, until midnight', '2026-11-20', MIDNIGHT],
    ['with spaces', ' 2026-11-20 ', MIDNIGHT],
    ['a leap day', '2028-02-29', at('2028-03-01T00:00:00Z')],
    ['the last date', '9999-12-30', at('9999-12-31T00:00:00Z')],
  ])('%s', (_, text, expected) => {
    expect(parseExpiryDay(text, NOON)).toBe(expected)
    expect(expiryDayOf(expected)).toBe(text.trim())
  })

  test.each([
    ['yesterday', '2026-11-19', 'must not be in the past'],
    ['a day that does not exist', '2027-02-30', 'must be a date'],
    ['another format', '31.01.2027', 'must be a date'],
    ['a time', '2027-01-31T00:00:00Z', 'must be a date'],
    ['five digits', '12027-01-31', 'must be a date'],
    ['the day after the last date', '9999-12-31', 'must be before 9999-12-31'],
  ])('%s is refused', (_, text, message) => expect(() => parseExpiryDay(text, NOON)).toThrow(message))

  test('the last millisecond of a day is still that day', () => {
    expect(parseExpiryDay('2026-11-20', MIDNIGHT - 1)).toBe(MIDNIGHT)
    expect(() => parseExpiryDay('2026-11-20', MIDNIGHT)).toThrow('in the past')
  })

  test.each([
    ['none', NOON, null, NOON, null],
    ['the rest of a day', NOON, MIDNIGHT, NOON, MIDNIGHT],
    ['the rest of a day, a minute before its end', NOON, MIDNIGHT, MIDNIGHT - 60_000, MIDNIGHT + 86_400_000],
    ['a whole day, from its start', at('2026-11-20'), MIDNIGHT, at('2026-11-20'), MIDNIGHT],
    ['at least the day, if the key had expired when it was created', NOON, NOON - 86_400_000, NOON, MIDNIGHT],
    ['thirty days after its expiry', at('2026-09-01T09:00:00Z'), at('2026-10-02'), NOON, at('2026-12-21')],
    ['thirty days', at('2026-10-01T23:00:00Z'), at('2026-11-01T00:00:00Z'), NOON, at('2026-12-21T00:00:00Z')],
    ['at most the last date', NOON - 86_400_000, at('9999-12-31'), NOON, at('9999-12-31')],
  ])('of a successor: %s', (_, createdAtMs, expiresAtMs, nowMs, expected) => {
    expect(successorExpiry({ createdAtMs, expiresAtMs }, nowMs)).toBe(expected)
  })
})

describe('the client of a key', () => {
  test('an unknown entry of a stored list does not allow every address', () => {
    expect(() => rangesOf(['10.0.0.0/8', 'unknown'])).toThrow('not an address range: unknown')
  })

  const mapped = rangesOf(parseAllowedAddresses('::ffff:10.0.0.0/104'))
  test.each([
    ['any without a list', null, [], true],
    ['an unknown one with a list', null, mapped, false],
    ['inside a range written as IPv6', '10.1.2.3', mapped, true],
    ['inside, written as IPv6', '::ffff:10.1.2.3', mapped, true],
    ['outside', '11.0.0.1', mapped, false],
    ['an IPv6 address with the bytes of the range', '::a00:1', mapped, false],
  ])('%s', (_, client, ranges, expected) => {
    expect(isClientAllowed(() => (client === null ? null : parseAddress(client)), ranges)).toBe(expected)
  })
})

test.each([
  ['0', 0],
  ['1h', 3_600_000],
  ['24h', 86_400_000],
  ['7d', 604_800_000],
  ['2h', null],
  ['', null],
])('the overlap %j', (text, ms) => expect(parseOverlap(text)).toBe(ms))

describe('allowed origins', () => {
  const parse = (text: string) => KEY_SETTINGS.allowedOrigins.parse(text, 0)

  test.each([
    ['nothing', ' \n, ', []],
    [
      'origins by line and comma',
      'https://a.example\nhttp://b.example:8080',
      ['https://a.example', 'http://b.example:8080'],
    ],
    ['as browsers send them', 'HTTPS://Bücher.Example:443/', ['https://xn--bcher-kva.example']],
    ['a repeated one', 'https://a.example https://a.example/', ['https://a.example']],
    ['an address', 'http://[2001:DB8::1]:3000', ['http://[2001:db8::1]:3000']],
  ])('%s', (_, text, expected) => expect(parse(text)).toEqual(expected))

  test.each([
    '*',
    'null',
    'a.example',
    'https://*.a.example',
    'https://a.example/path',
    'https://a.example?',
    'https://jo@a.example',
    'https:a.example',
    'https:\\\\a.example',
    'ftp://a.example',
    'chrome-extension://abc',
    `https://${'a'.repeat(300)}.example`,
  ])('%s is refused', (text) =>
    expect(() => parse(text)).toThrow('Expected an http(s) origin without path and wildcard'),
  )
})

describe('allowed hosts', () => {
  test.each([
    ['nothing', ' \n, ', []],
    [
      'names by line, comma and space',
      'a.example\r\nb.example,c.example d.example',
      ['a.example', 'b.example', 'c.example', 'd.example'],
    ],
    ['a repeated one', 'a.example A.Example. a.example', ['a.example']],
    ['subdomains', '*.Example.com', ['*.example.com']],
    ['an international name', 'bücher.example', ['xn--bcher-kva.example']],
    ['addresses', '192.0.2.7 [2001:DB8::1]', ['192.0.2.7', '[2001:db8::1]']],
  ])('%s', (_, text, expected) => expect(parseAllowedHosts(text)).toEqual(expected))

  test.each([
    'https://a.example',
    'a.example/path',
    'a.example:80',
    'jo@a.example',
    'a.*.example',
    '*',
    '*.',
    '**.a.example',
    'a%2eexample',
    'a?b',
    '\\a',
    '.',
    '..',
    'a.example..',
    '.a.example',
    '*..a.example',
    '*.192.0.2.7',
    '*.[2001:db8::1]',
  ])('%s is refused', (text) =>
    expect(() => parseAllowedHosts(text)).toThrow('Expected a host such as example.com or *.example.com'),
  )

  test('names as long as DNS allows', () => {
    const longest = `${'a.'.repeat(126)}a`
    expect(parseAllowedHosts(`${longest} *.${longest}`)).toEqual([longest, `*.${longest}`])
    expect(() => parseAllowedHosts(`a${longest}`)).toThrow('Expected a host')
  })

  test('at most fifty', () => {
    const hosts = (count: number) => Array.from({ length: count }, (_, i) => `h${i}.example`).join(' ')
    expect(parseAllowedHosts(hosts(MAX_ALLOWED))).toHaveLength(MAX_ALLOWED)
    expect(() => parseAllowedHosts(hosts(MAX_ALLOWED + 1))).toThrow('At most 50 hosts')
    expect(() => parseAllowedHosts('/'.repeat(100_000))).toThrow(new RegExp(`got "/{80}"$`))
    // They are counted before they are parsed.
    expect(() => parseAllowedHosts(`? ${hosts(MAX_ALLOWED)}`)).toThrow('At most 50 hosts')
  })

  test.each([
    ['every host without a list', 'a.example', [], true],
    ['an exact name', 'a.example', ['b.example', 'a.example'], true],
    ['the name with a trailing dot', 'a.example.', ['a.example'], true],
    ['not a subdomain of an exact name', 'www.a.example', ['a.example'], false],
    ['not a name with the same ending', 'nota.example', ['a.example'], false],
    ['a subdomain', 'www.a.example', ['*.a.example'], true],
    ['a deeper subdomain', 'x.y.a.example', ['*.a.example'], true],
    ['not the domain itself', 'a.example', ['*.a.example'], false],
    ['not another domain with the same ending', 'nota.example', ['*.a.example'], false],
    ['an address', '[2001:db8::1]', ['[2001:db8::1]'], true],
  ] as const)('%s', (_, hostname, allowed, expected) => expect(isHostAllowed({ hostname }, allowed)).toBe(expected))
})

// The URL parser takes a minute to normalize such a host.
test.each([
  ['allowedHosts', ''],
  ['allowedOrigins', 'https://'],
] as const)('a form full of combining characters is refused at once: %s', (name, scheme) => {
  const host = `a${['\u0301', '\u0316', '\u0338'].map((mark) => mark.repeat(60_000)).join('')}`
  expect(() => KEY_SETTINGS[name].parse(scheme + host, 0)).toThrow('Expected')
})

describe('allowed addresses', () => {
  test.each([
    ['nothing', '', []],
    ['single ones', '192.0.2.7, 2001:db8::1', ['192.0.2.7', '2001:db8::1']],
    ['ranges', '10.0.0.0/8 2001:db8::/32', ['10.0.0.0/8', '2001:db8::/32']],
    ['a range of one', '192.0.2.7/32', ['192.0.2.7']],
    ['IPv4 written as IPv6', '::ffff:192.0.2.7', ['192.0.2.7']],
    ['a range of IPv4 written as IPv6', '::ffff:10.0.0.0/104', ['10.0.0.0/8']],
    ['all of IPv4 written as IPv6', '::ffff:0:0/96', ['0.0.0.0/0']],
  ])('%s', (_, text, expected) => expect(parseAllowedAddresses(text)).toEqual(expected))

  test.each([
    '10.0.0.0/33',
    '10.0.0',
    'example.com',
    '1',
    '10.0.0.1-10.0.0.9',
    '::/129',
    '::ffff:0:0/95',
    '::ffff:10.0.0.0/129',
    'fe80::1%eth0/64',
    '10.0.0.0/',
    '10.0.0.0/8/8',
  ])('%s is refused', (text) =>
    expect(() => parseAllowedAddresses(text)).toThrow('Expected an IP address or a range such as 10.0.0.0/8'),
  )
})

test.each(Object.values(KEY_SETTINGS).map(({ field, label, help }) => [field, label, help]))(
  'the setting %s has texts for the dashboard and for the command line',
  (_, label, help) => expect([label, help]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]),
)
