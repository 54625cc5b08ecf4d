import { describe, expect, test } from 'bun:test'

import type { Interstitial } from '../../src/core/extract/interstitial.ts'
import { siteWallOf, type SiteResponse } from '../../src/core/site-walls.ts'
import { siteOf } from '../../src/core/sites.ts'

/** A response from a URL, with a title, after redirects from other URLs. */
function answered(address: string, title?: string, previousUrls: readonly string[] = [], status = 200): SiteResponse {
  const url = new URL(address)
  const metadata = title === undefined ? {} : { title }
  return {
    status,
    url,
    previousUrls: previousUrls.map((one) => new URL(one)),
    site: siteOf(url.hostname, []),
    metadata,
    evidence: null,
  }
}

describe('the rules for a site recognise its walls', () => {
  test.each<[name: string, answer: SiteResponse, expected: Interstitial | null]>([
    ['its name as a title', answered('https://www.tiktok.com/@jo/video/1', 'TikTok - Make Your Day'), 'login'],
    [
      'its name at the end of the title',
      answered('https://www.facebook.com/a/posts/1', 'Log into Facebook | Facebook'),
      'login',
    ],
    ['in another case', answered('https://www.tiktok.com/@jo/video/1', 'TIKTOK - MAKE YOUR DAY'), 'login'],
    ['with another dash', answered('https://www.tiktok.com/@jo/video/1', 'TikTok – Make Your Day'), 'login'],
    ['its home page', answered('https://www.tiktok.com/', 'TikTok - Make Your Day'), null],
    ['its home page with a query', answered('https://www.tiktok.com/?lang=en', 'TikTok - Make Your Day'), null],
    ['another title', answered('https://www.tiktok.com/@jo/video/1', 'A TikTok by Jo'), null],
    ['no title', answered('https://www.tiktok.com/@jo/video/1'), null],
    ['an error page', answered('https://www.tiktok.com/@jo/video/1', 'TikTok', [], 404), null],
    [
      'a redirect to the home page',
      answered('https://www.tiktok.com/', 'TikTok', ['https://tiktok.com/@jo/video/1']),
      'login',
    ],
    ['the home page by a short link', answered('https://www.tiktok.com/', 'TikTok', ['https://s.test/1']), null],
    ['the home page without www', answered('https://www.tiktok.com/', 'TikTok', ['https://tiktok.com/']), null],
    ['the same title on another site', answered('https://blog.test/about-tiktok', 'TikTok'), null],
    ['the title of a challenge', answered('https://www.amazon.com/dp/1', 'Robot Check'), 'other_challenge'],
    ['the status of a challenge', answered('https://www.amazon.com/dp/1', 'A lamp', [], 503), 'other_challenge'],
    ['the path of a challenge', answered('https://www.google.com/sorry/index?q=1'), 'other_challenge'],
    ['a path with the same letters', answered('https://www.walmart.com/ip/blocked-lamp'), null],
    ['a path that ends with it', answered('https://www.walmart.com/blocked?url=1'), 'other_challenge'],
  ])('%s', (_, answer, expected) => expect(siteWallOf(answer)).toBe(expected))

  test('a title that asks for JavaScript is a wall on sites that send such pages', () => {
    const evidence = { hasNoScriptTitle: true }
    expect(siteWallOf({ ...answered('https://x.com/jo/status/1'), evidence })).toBe('login')
    expect(siteWallOf({ ...answered('https://x.com/'), evidence })).toBeNull()
    expect(siteWallOf({ ...answered('https://app.test/page'), evidence })).toBeNull()
  })
})
