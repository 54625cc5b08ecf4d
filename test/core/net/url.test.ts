import { describe, expect, test } from 'bun:test'

import { parseAllowRule, type AllowRule } from '../../../src/core/net/egress.ts'
import { parseTargetUrl } from '../../../src/core/net/url.ts'

const SCHEME = 'must start with http:// or https://'
const PRIVATE = 'the address is private or reserved'
const LOCAL = 'the host is this machine'
const INVALID = 'not a valid URL'
const USERINFO = 'must not contain a user name or password'

const REFUSED: readonly (readonly [name: string, text: string, reason: string])[] = [
  ['nothing', '', 'the URL is missing'],
  ['only spaces', ' \t\n', 'the URL is missing'],
  ['a name without scheme', 'example.com', SCHEME],
  ['a path', '/a/b', SCHEME],
  ['no scheme, two slashes', '//example.com/', SCHEME],
  ['ftp', 'ftp://example.com/', SCHEME],
  ['file', 'file:///etc/passwd', SCHEME],
  ['data', 'data:text/html,x', SCHEME],
  ['javascript', 'javascript:alert(1)', SCHEME],
  ['blob', 'blob:https://example.com/x', SCHEME],
  ['view-source', 'view-source:http://example.com/', SCHEME],
  ['s3', 's3://bucket/key', SCHEME],
  ['gopher', 'gopher://127.0.0.1:6379/_', SCHEME],
  ['WebSocket', 'ws://example.com/', SCHEME],
  ['a scheme with the same beginning', 'httpx://example.com/', SCHEME],
  ['no slashes', 'http:example.com', SCHEME],
  ['one slash', 'https:/example.com', SCHEME],
  ['back slashes', 'http:\\\\example.com', SCHEME],
  ['a line feed in the scheme', 'ht\ntp://127.0.0.1/', SCHEME],
  ['words', 'not a url', SCHEME],
  ['no host', 'http://', INVALID],
  ['only a port', 'http://:80/', INVALID],
  ['only a query', 'http://?x', INVALID],
  ['a space in the host', 'http://exa mple.com/', INVALID],
  ['a NUL in the host', 'http://exa\0mple.com/', INVALID],
  ['an encoded NUL in the host', 'http://exa%00mple.com/', INVALID],
  ['an encoded slash in the host', 'http://exa%2fmple.com/', INVALID],
  ['a port that is not a number', 'http://example.com:http/', INVALID],
  ['a port above 65535', 'http://example.com:65536/', INVALID],
  ['a negative port', 'http://example.com:-1/', INVALID],
  ['an unclosed bracket', 'http://[::1/', INVALID],
  ['an IPv6 address without brackets', 'http://::1/', INVALID],
  ['an IPv6 zone', 'http://[fe80::1%25lo]/', INVALID],
  ['an IPv6 zone, not encoded', 'http://[fe80::1%lo]/', INVALID],
  ['an IPv4 part above 255', 'http://256.0.0.1/', INVALID],
  ['five IPv4 parts', 'http://1.2.3.4.5/', INVALID],
  ['a last label that is a number', 'http://example.1/', INVALID],
  ['broken Punycode', 'http://xn--a/', INVALID],
  ['a user', 'http://user@example.com/', USERINFO],
  ['a user and a password', 'http://user:secret@example.com/', USERINFO],
  ['only a password', 'http://:secret@example.com/', USERINFO],
  ['a host that looks like a user', 'http://example.com@evil.test/', USERINFO],
  ['an encoded at sign in the user', 'http://a%40b@example.com/', USERINFO],
  ['a host that is too long to be a name', `http://${'ä'.repeat(300)}.test/`, INVALID],
  ['8,193 characters', `http://example.com/${'a'.repeat(8_193 - 19)}`, 'longer than 8192 characters'],
  ['a very long text', 'x'.repeat(100_000), 'longer than 8192 characters'],

  ['localhost', 'http://localhost/', LOCAL],
  ['localhost with a port', 'http://localhost:8080/', LOCAL],
  ['localhost in capitals', 'http://LOCALHOST/', LOCAL],
  ['localhost with a dot', 'http://localhost./', LOCAL],
  ['a name under localhost', 'http://app.localhost/', LOCAL],
  ['a name under localhost with a dot', 'http://a.b.localhost./', LOCAL],
  ['localhost.localdomain', 'http://localhost.localdomain/', LOCAL],
  ['ip6-localhost', 'http://ip6-localhost/', LOCAL],
  ['localhost, percent-encoded', 'http://%6c%6f%63alhost/', LOCAL],
  ['localhost with a soft hyphen', 'http://loc\u00adalhost/', LOCAL],
  ['localhost with a long s', 'http://localho\u017ft/', LOCAL],
  ['localhost in full-width letters', 'http://ｌｏｃａｌｈｏｓｔ/', LOCAL],
  ['localhost with a tab inside', 'http://local\thost/', LOCAL],
  ['localhost with a zero-width joiner removed', 'http://local\u200bhost/', LOCAL],

  ['loopback', 'http://127.0.0.1/', PRIVATE],
  ['loopback over https', 'https://127.0.0.1/', PRIVATE],
  ['loopback with capitals in the scheme', 'HTTP://127.0.0.1/', PRIVATE],
  ['loopback with a dot', 'http://127.0.0.1./', PRIVATE],
  ['loopback with leading space', ' \n http://127.0.0.1/', PRIVATE],
  ['loopback in decimal', 'http://2130706433/', PRIVATE],
  ['loopback in octal', 'http://017700000001/', PRIVATE],
  ['loopback in hexadecimal', 'http://0x7f000001/', PRIVATE],
  ['loopback in capital hexadecimal', 'http://0X7F000001/', PRIVATE],
  ['loopback with an octal part', 'http://0177.0.0.1/', PRIVATE],
  ['loopback with many leading zeros', 'http://0000000177.0.0.01/', PRIVATE],
  ['loopback with a hexadecimal part', 'http://0x7f.0.0.1/', PRIVATE],
  ['loopback in mixed bases', 'http://0x7f.0.00.01/', PRIVATE],
  ['loopback in two parts', 'http://127.1/', PRIVATE],
  ['loopback in three parts', 'http://127.0.1/', PRIVATE],
  ['loopback in two parts, hexadecimal', 'http://0x7f.1/', PRIVATE],
  ['another loopback', 'http://127.255.255.254/', PRIVATE],
  ['loopback in full-width digits', 'http://１２７．０．０．１/', PRIVATE],
  ['loopback in circled digits', 'http://①②⑦.0.0.1/', PRIVATE],
  ['loopback with ideographic dots', 'http://127。0。0。1/', PRIVATE],
  ['loopback with half-width ideographic dots', 'http://127｡0｡0｡1/', PRIVATE],
  ['loopback with an encoded dot', 'http://127%2e0.0.1/', PRIVATE],
  ['loopback, percent-encoded', 'http://%31%32%37.0.0.1/', PRIVATE],
  ['loopback with a tab inside', 'http://127.0.\t0.1/', PRIVATE],
  ['loopback after a back slash', 'http://127.0.0.1\\@example.com/', PRIVATE],
  ['zero', 'http://0/', PRIVATE],
  ['zero in four parts', 'http://0.0.0.0/', PRIVATE],
  ['zero in hexadecimal', 'http://0x0/', PRIVATE],
  ['private', 'http://10.1.2.3/', PRIVATE],
  ['private in decimal', 'http://167772161/', PRIVATE],
  ['Docker bridge', 'http://172.17.0.1/', PRIVATE],
  ['home router', 'http://192.168.1.1/', PRIVATE],
  ['home router in two parts', 'http://192.11010305/', PRIVATE],
  ['CGNAT', 'http://100.64.0.1/', PRIVATE],
  ['cloud metadata', 'http://169.254.169.254/latest/meta-data/', PRIVATE],
  ['cloud metadata in decimal', 'http://2852039166/', PRIVATE],
  ['cloud metadata in hexadecimal', 'http://0xa9fea9fe/', PRIVATE],
  ['cloud metadata in octal', 'http://0251.0376.0251.0376/', PRIVATE],
  ['broadcast', 'http://255.255.255.255/', PRIVATE],
  ['broadcast in decimal', 'http://4294967295/', PRIVATE],
  ['a number above IPv4', 'http://4294967296/', INVALID],
  ['IPv6 loopback', 'http://[::1]/', PRIVATE],
  ['IPv6 loopback with a port', 'http://[::1]:8080/', PRIVATE],
  ['IPv6 loopback written out', 'http://[0:0:0:0:0:0:0:1]/', PRIVATE],
  ['IPv6 unspecified', 'http://[::]/', PRIVATE],
  ['IPv4-mapped loopback', 'http://[::ffff:127.0.0.1]/', PRIVATE],
  ['IPv4-mapped loopback in hexadecimal', 'http://[::ffff:7f00:1]/', PRIVATE],
  ['IPv4-compatible loopback', 'http://[::127.0.0.1]/', PRIVATE],
  ['NAT64 to loopback', 'http://[64:ff9b::7f00:1]/', PRIVATE],
  ['6to4 around loopback', 'http://[2002:7f00:1::]/', PRIVATE],
  ['Teredo', 'http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/', PRIVATE],
  ['unique local', 'http://[fd00::1]/', PRIVATE],
  ['link-local', 'http://[fe80::1]/', PRIVATE],
  ['site-local', 'http://[fec0::1]/', PRIVATE],
  ['AWS metadata over IPv6', 'http://[fd00:ec2::254]/', PRIVATE],
]

/** A sample of https://fetch.spec.whatwg.org/#port-blocking, and neighboring ports that are allowed. */
const PORTS: readonly (readonly [port: number, isOpen: boolean])[] = [
  [0, false],
  [1, false],
  [2, true],
  [21, false],
  [22, false],
  [25, false],
  [53, false],
  [79, false],
  [80, true],
  [81, true],
  [110, false],
  [143, false],
  [389, false],
  [443, true],
  [465, false],
  [587, false],
  [993, false],
  [995, false],
  [2049, false],
  [3000, true],
  [3306, true],
  [5060, false],
  [6000, false],
  [6379, true],
  [6665, false],
  [6669, false],
  [6670, true],
  [8080, true],
  [8443, true],
  [10080, false],
  [65535, true],
]

const ACCEPTED: readonly (readonly [name: string, text: string, href: string])[] = [
  ['a name', 'http://example.com', 'http://example.com/'],
  ['capitals', 'HTTPS://EXAMPLE.com/A', 'https://example.com/A'],
  ['surrounding space', '  https://example.com/\n', 'https://example.com/'],
  ['a default port', 'https://example.com:443/', 'https://example.com/'],
  ['another port', 'http://example.com:8080/', 'http://example.com:8080/'],
  ['the other scheme’s port', 'http://example.com:443/', 'http://example.com:443/'],
  ['a trailing dot', 'http://example.com./', 'http://example.com./'],
  ['dot segments', 'http://example.com/a/../b/./c', 'http://example.com/b/c'],
  ['an international name', 'https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ['an international name in another script', 'https://例え.テスト/', 'https://xn--r8jz45g.xn--zckzah/'],
  ['a sharp s', 'https://faß.example/', 'https://xn--fa-hia.example/'],
  ['a raw UTF-8 path', 'http://example.com/ü ö', 'http://example.com/%C3%BC%20%C3%B6'],
  ['brackets in the query', 'http://example.com/?b=[x]', 'http://example.com/?b=[x]'],
  ['a URL in the query', 'http://example.com/?u=http://127.0.0.1/', 'http://example.com/?u=http://127.0.0.1/'],
  ['an at sign in the path', 'http://example.com/@user', 'http://example.com/@user'],
  ['an underscore in the host', 'http://a_b.example/', 'http://a_b.example/'],
  ['a lone surrogate in the path', 'http://example.com/\ud800', 'http://example.com/%EF%BF%BD'],
  ['a name that begins like an address', 'http://127.0.0.1.example.com/', 'http://127.0.0.1.example.com/'],
  ['a name with the same ending', 'http://notlocalhost/', 'http://notlocalhost/'],
  ['localhost as a label', 'http://localhost.example.com/', 'http://localhost.example.com/'],
  ['a public address', 'http://8.8.8.8/', 'http://8.8.8.8/'],
  ['a public address in decimal', 'http://134744072/', 'http://8.8.8.8/'],
  ['a public IPv6 address', 'http://[2606:4700:4700::1111]/', 'http://[2606:4700:4700::1111]/'],
  ['an IPv4-mapped public address', 'http://[::ffff:8.8.8.8]/', 'http://[::ffff:808:808]/'],
  ['a fragment', 'http://example.com/#top', 'http://example.com/#top'],
  ['8,192 characters', `http://example.com/${'a'.repeat(8_192 - 19)}`, `http://example.com/${'a'.repeat(8_192 - 19)}`],
]

const rules = (...texts: string[]): AllowRule[] => texts.flatMap((text) => parseAllowRule(text) ?? [])

const OPENED: readonly (readonly [name: string, rule: string, text: string, isAccepted: boolean])[] = [
  ['an address', '127.0.0.1', 'http://127.0.0.1:3000/', true],
  ['an address at a port', '127.0.0.1:3000', 'http://127.0.0.1:3000/', true],
  ['the address, however spelled', '127.0.0.1:3000', 'http://0x7f.1:3000/', true],
  ['the address at another port', '127.0.0.1:3000', 'http://127.0.0.1:3001/', false],
  ['another address', '127.0.0.1', 'http://127.0.0.2/', false],
  ['an IPv6 address', '::1', 'http://[::1]/', true],
  ['an IPv6 address at a port', '[::1]:3000', 'http://[::1]:3000/', true],
  ['the IPv6 address at another port', '[::1]:3000', 'http://[::1]/', false],
  ['a range', '10.0.0.0/8', 'http://10.1.2.3/', true],
  ['outside the range', '10.0.0.0/8', 'http://11.0.0.1.nip.example/', true],
  ['an address outside the range', '10.0.0.0/8', 'http://192.168.0.1/', false],
  ['an IPv6 range', 'fd00::/8', 'http://[fd12::1]/', true],
  ['localhost', 'localhost', 'http://localhost/', true],
  ['localhost at a port', 'localhost:3000', 'http://localhost:3000/', true],
  ['localhost at another port', 'localhost:3000', 'http://localhost:3001/', false],
  ['a name under the one named', 'localhost', 'http://a.localhost/', false],
  ['one of the two addresses of localhost', '127.0.0.1', 'http://localhost/', false],
  ['a bad port', '127.0.0.1', 'http://127.0.0.1:22/', false],
  ['the wrong family', '::ffff:0:0/96', 'http://127.0.0.1/', false],
]

describe('parseTargetUrl', () => {
  test.each(REFUSED)('refuses %s', (_name, text, reason) => {
    const isPrivate = /private|this machine/.test(reason)
    expect(parseTargetUrl(text)).toEqual({ reason, ...(isPrivate && { isPrivate }) })
  })

  test.each(PORTS)('port %i is allowed: %p', (port, isOpen) => {
    const result = parseTargetUrl(`http://example.com:${port}/`)
    if (isOpen) expect(result).toHaveProperty('url')
    else expect(result).toEqual({ reason: `port ${port} is not allowed` })
  })

  test.each(ACCEPTED)('accepts %s', (_name, text, href) => {
    const result = parseTargetUrl(text)
    expect('url' in result && result.url.href).toBe(href)
  })

  test.each(OPENED)('allowed by the operator: %s (%s)', (_name, rule, text, isAccepted) => {
    expect('url' in parseTargetUrl(text, rules(rule))).toBe(isAccepted)
  })
})

describe('the cache key', () => {
  test.each([
    ['a fragment', 'http://example.com/a#b', 'http://example.com/a'],
    ['an empty fragment', 'http://example.com/a#', 'http://example.com/a'],
    ['capitals and a default port', 'HTTP://Example.COM:80/A', 'http://example.com/A'],
    ['the order of a query', 'http://example.com/?b=1&a=2', 'http://example.com/?b=1&a=2'],
    ['an empty query', 'http://example.com/?', 'http://example.com/?'],
  ])('%s', (_name, text, cacheKey) => expect(parseTargetUrl(text)).toEqual({ url: new URL(text), cacheKey }))
})
