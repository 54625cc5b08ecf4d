import { describe, expect, test } from 'bun:test'

import { completeUrl } from '../../../src/core/net/typed-url.ts'

describe('completeUrl', () => {
  test.each<[name: string, text: string, url: string, isCompleted: boolean]>([
    ['a host', 'example.com', 'https://example.com', true],
    ['a path', ' example.com/a?b=c:d#e ', 'https://example.com/a?b=c:d#e', true],
    ['a port', 'example.com:8080', 'https://example.com:8080', true],
    ['a port and a path', '127.0.0.1:4890/full', 'https://127.0.0.1:4890/full', true],
    ['a port and a query', 'localhost:80?x', 'https://localhost:80?x', true],
    ['an IPv6 address', '[::1]:80/', 'https://[::1]:80/', true],
    ['no scheme but slashes', '//example.com/a', 'https://example.com/a', true],
    ['a colon in the path', 'example.com/a:b', 'https://example.com/a:b', true],
    ['https', 'https://example.com', 'https://example.com', false],
    ['HTTP in capitals', 'HTTP://example.com', 'HTTP://example.com', false],
    ['another scheme', 'ftp://example.com', 'ftp://example.com', false],
    ['a scheme without slashes', 'mailto:jo@example.com', 'mailto:jo@example.com', false],
    ['javascript', 'javascript:alert(1)', 'javascript:alert(1)', false],
    ['a scheme before a long number', 'tel:123456789', 'tel:123456789', false],
    ['nothing', '  ', '', false],
  ])('%s', (_, text, url, isCompleted) => expect(completeUrl(text)).toEqual({ url, isCompleted }))
})
