import { describe, expect, test } from 'bun:test'

import { parseUrl } from '../../src/core/web-url.ts'

const BASE = 'https://site.test/a/b'

/** A host of so many characters. */
const host = (length: number, letter = 'ä') => `${letter.repeat(length - '.test'.length)}.test`

// Normalizing such a host takes quadratic time if it has combining characters.
describe('parseUrl rejects a long host that is not plain ASCII', () => {
  test.each([
    ['after a scheme', (name: string) => `http://${name}/`],
    ['with a tab in the scheme', (name: string) => `ht\ttp://${name}/`],
    ['after spaces', (name: string) => ` \x01http://${name}`],
    ['after a scheme without slashes', (name: string) => `http:${name}?q`],
    ['after back slashes', (name: string) => `HTTP:\\\\${name}\\`],
    ['after a slash, a line break and a slash', (name: string) => `https:/\n/${name}/`],
    ['relative to the scheme', (name: string) => `//${name}/`],
    ['relative to the scheme, with a line break', (name: string) => `/\r\\${name}#a`],
  ])('%s', (_, urlOf) => {
    expect(parseUrl(urlOf(host(255)), BASE)?.hostname).toStartWith('xn--')
    expect(parseUrl(urlOf(host(256)), BASE)).toBeNull()
  })

  test('percent-encoded', () => expect(parseUrl(`http://${'%C3%A4'.repeat(50)}.test/`)).toBeNull())
})

test.each([
  ['a long plain host', `http://${host(300, 'a')}/`],
  ['a long first segment', `/${'ä'.repeat(300)}`],
  ['a long relative path', `${'ä'.repeat(300)}/x`],
  ['a long path with slashes', `//cdn.test//${'ä'.repeat(300)}`],
  ['a long encoded path', `https://cdn.test/${'%C3%A4'.repeat(300)}`],
  ['a long query', `?${'ä'.repeat(300)}`],
  ['a long fragment', `#//${'ä'.repeat(300)}`],
  ['an invalid URL', 'http://['],
])('parseUrl equals URL.parse for %s', (_, text) => expect(parseUrl(text, BASE)).toEqual(URL.parse(text, BASE)))
