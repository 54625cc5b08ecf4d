import { describe, expect, test } from 'bun:test'

import { rulesAllow, matcherOf, parseRobotsTxt, rulesFor } from '../../../src/previews/rules/robots-txt.ts'

const BOT = 'Twitterbot'

function isAllowed(text: string, path: string, crawler = BOT): boolean {
  return rulesAllow(rulesFor(parseRobotsTxt(text, [crawler]), crawler), matcherOf(new URL(path, 'https://example.com')))
}

describe('groups', () => {
  test.each<[name: string, text: string, isAllowed: boolean]>([
    ['no file', '', true],
    ['all crawlers', 'User-agent: *\nDisallow: /', false],
    ['the crawler, in another case', 'user-agent: TWITTERBOT\ndisallow: /', false],
    ['the crawler with a version', 'User-agent: Twitterbot/1.0\nDisallow: /', false],
    ['another crawler', 'User-agent: Googlebot\nDisallow: /', true],
    ['a crawler whose name starts with it', 'User-agent: Twitterbot-Image\nDisallow: /', true],
    [
      'its own group instead of the group of all',
      'User-agent: *\nDisallow: /\n\nUser-agent: Twitterbot\nAllow: /',
      true,
    ],
    ['its own group without rules', 'User-agent: Twitterbot\nDisallow:\nUser-agent: *\nDisallow: /', true],
    ['a group of several crawlers', 'User-agent: Googlebot\nUser-agent: Twitterbot\nDisallow: /', false],
    ['blank lines and others in a group', 'User-agent: Twitterbot\n\nCrawl-delay: 1\nDisallow: /', false],
    ['two groups of the crawler', 'User-agent: Twitterbot\nDisallow: /x\nUser-agent: Twitterbot\nDisallow: /a', false],
    ['rules before any group', 'Disallow: /\nUser-agent: *\nAllow: /', true],
    ['comments and Windows lines', '# x\r\nUser-agent: * # all\r\nDisallow: / # everything\r\n', false],
    ['a byte-order mark', '\ufeffUser-agent: *\nDisallow: /', false],
    ['HTML instead of the file', '<!doctype html><title>Not found</title>', true],
  ])('%s', (_, text, expected) => expect(isAllowed(text, '/a')).toBe(expected))
})

describe('rules', () => {
  test.each<[rules: string, path: string, isAllowed: boolean]>([
    ['Disallow: /a', '/ab', false],
    ['Disallow: /a/', '/a', true],
    ['Disallow: /A', '/a', true],
    ['Disallow: /\nAllow: /a', '/a/b', true],
    ['Allow: /a\nDisallow: /a/b', '/a/b', false],
    ['Allow: /a\nDisallow: /a', '/a', true],
    ['Disallow: /a\nAllow: /a', '/a', true],
    ['Disallow: /*.png$', '/x/a.png', false],
    ['Disallow: /*.png$', '/x/a.png?v=1', true],
    ['Disallow: *', '/a', false],
    ['Disallow: /*?sort=', '/a?page=1&sort=x', true],
    ['Disallow: /*?', '/a?page=1', false],
    ['Disallow: /ä', '/%C3%A4', false],
    ['Disallow: /%c3%a4', '/ä', false],
    ['Disallow: /a$', '/ab', true],
    ['Disallow:', '/a', true],
  ])('%j and %s', (rules, path, expected) => expect(isAllowed(`User-agent: *\n${rules}`, path)).toBe(expected))
})

test('the first 1,000 rules of a crawler are read', () => {
  const text = (before: number) => `User-agent: *\n${'Disallow: /b\n'.repeat(before)}Disallow: /a`
  expect([isAllowed(text(999), '/a'), isAllowed(text(1_000), '/a')]).toEqual([false, true])
})

describe('a file of a hostile site is read within the timeout of the test', () => {
  test.each([
    ['many rules with many wildcards', `User-agent: *\n${`Disallow: /${'*a'.repeat(100)}b\n`.repeat(2_500)}`, true],
    ['many crawlers with many rules', `${'User-agent: *\n'.repeat(15_000)}${'Disallow: /\n'.repeat(25_000)}`, false],
    ['a rule with many wildcards', `User-agent: *\nDisallow: /${'*'.repeat(500_000)}b`, true],
    ['half a surrogate pair', 'User-agent: *\nDisallow: /\ud800', true],
  ])('%s', (_, text, expected) => expect(isAllowed(text, `/${'a'.repeat(8_000)}`)).toBe(expected))
})
