import { describe, expect, test } from 'bun:test'

import {
  bypassesProxy,
  parseEgressProxy,
  parseProxyException,
  type EgressProxy,
} from '../../../src/core/net/egress-proxy.ts'

const login = { user: 'user', password: 'p@ss' }

describe('a proxy', () => {
  test.each<[text: string, expected: Partial<EgressProxy>]>([
    ['http://proxy.example:3128', { protocol: 'http', host: 'proxy.example', port: 3128, credentials: null }],
    ['HTTP://Proxy.Example:3128/', { protocol: 'http', host: 'proxy.example', port: 3128 }],
    ['http://proxy.example', { port: 80 }],
    ['https://proxy.example', { protocol: 'https', port: 443 }],
    ['https://proxy.example:80', { protocol: 'https', port: 80 }],
    ['socks5://10.0.0.1', { protocol: 'socks5', host: '10.0.0.1', port: 1080 }],
    ['socks5://[fd00::1]:9050', { host: '[fd00::1]', port: 9050 }],
    ['http://user:p%40ss@proxy.example:3128', { host: 'proxy.example', credentials: login }],
    ['http://user@proxy.example:3128', { credentials: { user: 'user', password: '' } }],
  ])('%s', (text, expected) => expect(parseEgressProxy(text)).toMatchObject(expected))

  test.each([
    'proxy.example:3128',
    'ftp://proxy.example',
    'socks4://proxy.example',
    'http://',
    'http://proxy.example:0',
    'http://proxy.example:65536',
    'http://proxy.example/path',
    'http://proxy.example?query',
    'http://us%er:x@proxy.example',
    'socks5://user@proxy.example',
    `socks5://user:${'x'.repeat(256)}@proxy.example`,
  ])('%s is invalid', (text) => expect(parseEgressProxy(text)).toBeNull())
})

describe('an exception', () => {
  const to = (host: string, port = 443) => ({ host, port })
  test.each<[rule: string, host: string, address: string, isDirect: boolean]>([
    ['wiki.example', 'wiki.example', '10.0.0.1', true],
    ['wiki.example', 'wiki.example.', '10.0.0.1', true],
    ['wiki.example', 'a.wiki.example', '10.0.0.1', false],
    ['wiki.example:443', 'wiki.example', '10.0.0.1', true],
    ['wiki.example:80', 'wiki.example', '10.0.0.1', false],
    ['.example', 'wiki.example', '10.0.0.1', true],
    ['.example', 'example', '10.0.0.1', false],
    ['.example', 'badexample', '10.0.0.1', false],
    ['10.0.0.0/8', 'wiki.example', '10.255.0.1', true],
    ['10.0.0.0/8', 'wiki.example', '11.0.0.1', false],
    ['::1', 'wiki.example', '::1', true],
    ['10.0.0.0/8', 'wiki.example', 'not an address', false],
  ])('%s for %s at %s: %p', (rule, host, address, isDirect) =>
    expect(bypassesProxy([parseProxyException(rule)!], to(host), address)).toBe(isDirect),
  )

  test.each(['.', '.example:80', '.10.0.0.1', '..example/', '*.example', ''])('%s is invalid', (text) =>
    expect(parseProxyException(text)).toBeNull(),
  )
})
