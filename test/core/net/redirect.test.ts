import { describe, expect, test } from 'bun:test'

import { redirectTarget, redirectionOf } from '../../../src/core/net/redirect.ts'

const FROM = new URL('https://site.test/a/b?q=1')

/** A header value: one character per byte. */
const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

const FOLLOWED: readonly (readonly [name: string, location: string, href: string])[] = [
  ['absolute', 'http://other.test/x', 'http://other.test/x'],
  ['protocol-relative', '//other.test/x', 'https://other.test/x'],
  ['relative to the root', '/x', 'https://site.test/x'],
  ['relative to the path', 'x', 'https://site.test/a/x'],
  ['only a query', '?q=2', 'https://site.test/a/b?q=2'],
  ['with a fragment', '/x#top', 'https://site.test/x'],
  ['spaces', '/a b/c d', 'https://site.test/a%20b/c%20d'],
  ['spaces around', '  /x  ', 'https://site.test/x'],
  ['raw UTF-8', latin1('/müsli/日本'), 'https://site.test/m%C3%BCsli/%E6%97%A5%E6%9C%AC'],
  ['raw Latin-1', '/m\xfcsli', 'https://site.test/m%FCsli'],
  ['raw Shift_JIS', '/\x93\xfa', 'https://site.test/%93%FA'],
  ['an international host', latin1('https://bücher.test/'), 'https://xn--bcher-kva.test/'],
  ['back slashes', '\\\\other.test\\x', 'https://other.test/x'],
  ['a user, without it', 'http://user@other.test/', 'http://other.test/'],
  ['a password, without it', 'http://:secret@other.test/', 'http://other.test/'],
  ['a downgrade', 'http://site.test/', 'http://site.test/'],
]

const INVALID: readonly (readonly [name: string, location: string])[] = [
  ['another scheme', 'ftp://other.test/'],
  ['file', 'file:///etc/passwd'],
  ['javascript', 'javascript:alert(1)'],
  ['data', 'data:text/html,x'],
  ['an unparsable host', 'http://exa mple.test/'],
  ['no host', 'http://'],
  ['a host that is too long to be a name', latin1(`http://${'ä'.repeat(300)}.test/`)],
  ['8,193 characters', `/${'a'.repeat(8_193)}`],
]

describe('redirectionOf', () => {
  test.each(FOLLOWED)('follows %s', (_name, location, href) => {
    const redirection = redirectionOf(302, [location], FROM)
    expect(typeof redirection === 'object' && redirection.next.href).toBe(href)
  })

  test.each(INVALID)('does not follow %s', (_name, location) => {
    expect(redirectionOf(302, [location], FROM)).toBe('invalid')
  })

  test.each([301, 302, 303, 307, 308])('%i is a redirect', (status) => {
    expect(redirectionOf(status, ['/x'], FROM)).toEqual({ next: new URL('https://site.test/x') })
  })

  test.each([
    ['no Location', []],
    ['an empty one', ['']],
  ])('a redirect with %s is final', (_name, locations) => expect(redirectionOf(302, locations, FROM)).toBe('final'))

  test('the first Location that is not empty counts', () => {
    expect(redirectionOf(302, ['', '/x'], FROM)).toEqual({ next: new URL('https://site.test/x') })
  })

  test.each([200, 201, 204, 300, 304, 305, 306, 399, 404, 500])('%i is final', (status) => {
    expect(redirectionOf(status, ['/x'], FROM)).toBe('final')
  })
})

test('resolving a redirect target does not change the base URL', () => {
  const from = new URL(FROM)
  redirectTarget('/x#y', from)
  expect(from.href).toBe(FROM.href)
})
