import { describe, expect, test } from 'bun:test'

import type { Site, SiteRule } from '../../../src/core/sites/site-rule.ts'
import { matchesHost } from '../../../src/core/net/local-name.ts'
import { browserCookies, BUILT_IN_SITES, secretsOf, siteOf } from '../../../src/core/sites/sites.ts'

describe('host patterns', () => {
  test.each<[pattern: string, name: string, expected: boolean]>([
    ['example.com', 'example.com', true],
    ['example.com', 'www.example.com', false],
    ['example.com', 'notexample.com', false],
    ['*.example.com', 'www.example.com', true],
    ['*.example.com', 'a.b.example.com', true],
    ['*.example.com', 'example.com', false],
    ['*.example.com', 'notexample.com', false],
    ['*.example.com', 'example.com.evil.test', false],
  ])('%s and %s', (pattern, name, expected) => expect(matchesHost(pattern, name)).toBe(expected))
})

describe('the rules for a host', () => {
  const OWN: readonly SiteRule[] = [
    { hosts: ['a.test'], headers: { A: '1' }, render: 'never' },
    { hosts: ['a.test', '*.a.test'], headers: { A: '2', B: '2' }, cookies: { c: '2' }, render: 'always', read: 'head' },
    { hosts: ['t.co'], render: 'never' },
    { hosts: ['www.instagram.com'], walls: { titles: ['Mine'] } },
  ]
  const NOT_A_BOT = 'Mozilla/5.0 (compatible; urlmeta link preview)'
  test.each<[host: string, expected: Site]>([
    ['other.test', {}],
    ['a.test', { render: 'never', read: 'head' }],
    ['A.test.', { render: 'never', read: 'head' }],
    ['www.a.test', { render: 'always', read: 'head' }],
    ['t.co', { userAgent: NOT_A_BOT, render: 'never' }],
    ['not.t.co', {}],
    ['www.instagram.com', { walls: { titles: ['Mine'] } }],
    ['notinstagram.com', {}],
    ['instagram.com.evil.test', {}],
  ])('of %s', (host, expected) => expect(siteOf(host, OWN)).toEqual(expected))

  test.each<[url: string, headers: SiteRule['headers'], cookies: SiteRule['cookies']]>([
    ['https://a.test/', { A: '1', B: '2' }, { c: '2' }],
    ['https://A.test./', { A: '1', B: '2' }, { c: '2' }],
    ['https://www.a.test/', { A: '2', B: '2' }, { c: '2' }],
    ['https://other.test/', {}, {}],
    ['http://a.test/', {}, {}],
    ['https://www.in.test/', { A: '1', B: '2' }, { c: '1', '__Host-d': '2' }],
    ['http://www.in.test/', { A: '2', B: '2' }, { c: '2' }],
    ['http://in.test/', {}, {}],
  ])('for a request to %s have these secrets', (url, headers = {}, cookies = {}) => {
    const rules: readonly SiteRule[] = [
      ...OWN,
      { hosts: ['www.in.test', 'in.test'], headers: { A: '1' }, cookies: { c: '1' } },
      { hosts: ['*.in.test'], headers: { A: '2', B: '2' }, cookies: { c: '2', '__Host-d': '2' }, insecure: true },
    ]
    expect(secretsOf(new URL(url), rules)).toEqual({ headers, cookies, consentCookies: {} })
  })

  test('are not changed by a lookup', () => {
    const before = structuredClone(OWN)
    siteOf('a.test', OWN)
    secretsOf(new URL('https://a.test/'), OWN)
    expect(OWN).toEqual(before)
  })

  test.each(['www.amazon.com', 'amazon.de', 'smile.amazon.co.uk'])('built-in, of %s', (host) => {
    expect(siteOf(host, []).walls?.challengeStatuses).toEqual([503])
  })
})

describe('the cookie for consent pages of Google', () => {
  test.each<[host: string, isSent: boolean]>([
    ['www.youtube.com', true],
    ['youtube.com', true],
    ['consent.youtube.com', true],
    ['www.google.com', true],
    ['maps.google.de', true],
    ['news.google.co.uk', true],
    ['www.google.com.au', true],
    // The ends of the lines of the list.
    ...'fr ga no nu ws co.ao co.ve co.vi com.cy com.do com.mx com.my com.sg com.sl com.vn'
      .split(' ')
      .map((suffix): [string, boolean] => [`www.google.${suffix}`, true]),
    ['youtube.com.evil.test', false],
    ['evilyoutube.com', false],
    ['notgoogle.de', false],
    ['google.evil.test', false],
    ['www.youtube-nocookie.com', false],
  ])('%s', (host, isSent) => expect(siteOf(host, []).consentCookies !== undefined).toBe(isSent))
})

describe('the cookies of a browser', () => {
  const OWN: SiteRule = { hosts: ['*.youtube.com', 'wiki.test', '127.0.0.1'], cookies: { SOCS: 'own', SID: '1' } }
  const INSECURE: SiteRule = { hosts: ['wiki.test', '127.0.0.1'], cookies: { SID: '2' }, insecure: true }
  test.each<[name: string, url: string, rules: readonly SiteRule[], cookies: string[]]>([
    ['of a consent page', 'https://www.youtube.com/', [], ['SOCS=CAISAiAD https://www.youtube.com/']],
    ['after a redirect to https', 'http://www.youtube.com/', [], ['SOCS=CAISAiAD https://www.youtube.com/']],
    [
      'that replace it',
      'https://www.youtube.com/',
      [OWN],
      ['SOCS=own https://www.youtube.com/', 'SID=1 https://www.youtube.com/'],
    ],
    [
      'of rules with and without insecure',
      'http://wiki.test:8080/page',
      [OWN, INSECURE],
      ['SID=2 http://wiki.test/', 'SOCS=own https://wiki.test/'],
    ],
    [
      'that are never sent over plain HTTP after an encrypted hop',
      'https://wiki.test/',
      [INSECURE],
      ['SID=2 https://wiki.test/'],
    ],
    ['of loopback, which has secure cookies without https', 'http://127.0.0.1/', [OWN], []],
    ['of loopback over https', 'https://127.0.0.1/', [INSECURE], ['SID=2 https://127.0.0.1/']],
    ['of loopback over plain HTTP', 'http://127.0.0.1/', [OWN, INSECURE], ['SID=2 http://127.0.0.1/']],
  ])('%s', (_, url, rules, cookies) => {
    const found = browserCookies(new URL(url), rules)
    expect(found.map((cookie) => `${cookie.name}=${cookie.value} ${cookie.url}`)).toEqual(cookies)
  })
})

describe('the built-in table', () => {
  const hosts = BUILT_IN_SITES.flatMap((site) => site.hosts)

  test('has each host once, spelled as in URLs', () => {
    expect(new Set(hosts).size).toBe(hosts.length)
    for (const host of hosts) {
      const name = host.replace('*.', '')
      expect(URL.parse(`https://${name}/`)?.hostname).toBe(name)
    }
  })

  test('names the source of each rule', () => {
    for (const { sources } of BUILT_IN_SITES) {
      expect(sources.length).toBeGreaterThan(0)
      for (const source of sources) expect(source).toMatch(/^[\w.-]+\/[\w.-]+(?:#\d+|\/[\w./-]+)$/)
    }
  })
})
