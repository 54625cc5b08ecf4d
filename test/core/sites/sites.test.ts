import { describe, expect, test } from 'bun:test'

import type { Site, SiteRule } from '../../../src/core/sites/site-rule.ts'
import { BUILT_IN_SITES } from '../../../src/core/sites/built-in-sites.ts'
import { browserCookies, matchesHost, siteOf } from '../../../src/core/sites/sites.ts'

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
    ['a.test', { headers: { A: '1', B: '2' }, cookies: { c: '2' }, render: 'never', read: 'head' }],
    ['A.test.', { headers: { A: '1', B: '2' }, cookies: { c: '2' }, render: 'never', read: 'head' }],
    ['www.a.test', { headers: { A: '2', B: '2' }, cookies: { c: '2' }, render: 'always', read: 'head' }],
    ['t.co', { userAgent: NOT_A_BOT, render: 'never' }],
    ['not.t.co', {}],
    ['www.instagram.com', { walls: { titles: ['Mine'] } }],
    ['notinstagram.com', {}],
    ['instagram.com.evil.test', {}],
  ])('of %s', (host, expected) => expect(siteOf(host, OWN)).toEqual(expected))

  test('are not changed by a lookup', () => {
    const before = structuredClone(OWN)
    siteOf('a.test', OWN)
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
    ['youtube.com.evil.test', false],
    ['evilyoutube.com', false],
    ['notgoogle.de', false],
    ['google.evil.test', false],
    ['www.youtube-nocookie.com', false],
  ])('%s', (host, isSent) => expect(siteOf(host, []).consentCookies !== undefined).toBe(isSent))

  test.each<[name: string, url: string, rules: readonly SiteRule[], cookies: Record<string, string>]>([
    ['is sent by Chromium', 'https://www.youtube.com/', [], { SOCS: 'CAISAiAD' }],
    ['is not sent over plain HTTP', 'http://www.youtube.com/', [], {}],
    [
      'is replaced by one of the operator',
      'https://www.youtube.com/',
      [{ hosts: ['*.youtube.com'], cookies: { SOCS: 'own', SID: '1' } }],
      { SOCS: 'own', SID: '1' },
    ],
  ])('%s', (_, url, rules, cookies) => expect(browserCookies(new URL(url), rules)).toEqual(cookies))
})

describe('the built-in table', () => {
  const hosts = BUILT_IN_SITES.flatMap(({ rule }) => rule.hosts)

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
