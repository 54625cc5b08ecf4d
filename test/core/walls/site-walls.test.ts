import { describe, expect, test } from 'bun:test'

import type { Interstitial } from '../../../src/core/walls/interstitial.ts'
import { siteWallOf, type SiteResponse } from '../../../src/core/walls/site-walls.ts'
import { siteOf } from '../../../src/core/sites/sites.ts'

/** A response from a URL, with a title, after redirects from other URLs. */
function responseFrom(
  address: string,
  title?: string,
  previousUrls: readonly string[] = [],
  status = 200,
): SiteResponse {
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

describe('the rules for a site recognize its walls', () => {
  test.each<[name: string, response: SiteResponse, expected: Interstitial | null]>([
    ['its name as a title', responseFrom('https://www.tiktok.com/@jo/video/1', 'TikTok - Make Your Day'), 'login'],
    [
      'its name at the end of the title',
      responseFrom('https://www.facebook.com/a/posts/1', 'Log into Facebook | Facebook'),
      'login',
    ],
    ['in another case', responseFrom('https://www.tiktok.com/@jo/video/1', 'TIKTOK - MAKE YOUR DAY'), 'login'],
    ['with another dash', responseFrom('https://www.tiktok.com/@jo/video/1', 'TikTok – Make Your Day'), 'login'],
    ['its home page', responseFrom('https://www.tiktok.com/', 'TikTok - Make Your Day'), null],
    ['its home page with a query', responseFrom('https://www.tiktok.com/?lang=en', 'TikTok - Make Your Day'), null],
    ['another title', responseFrom('https://www.tiktok.com/@jo/video/1', 'A TikTok by Jo'), null],
    ['no title', responseFrom('https://www.tiktok.com/@jo/video/1'), null],
    ['an error page', responseFrom('https://www.tiktok.com/@jo/video/1', 'TikTok', [], 404), null],
    [
      'a redirect to the home page',
      responseFrom('https://www.tiktok.com/', 'TikTok', ['https://tiktok.com/@jo/video/1']),
      'login',
    ],
    ['the home page by a short link', responseFrom('https://www.tiktok.com/', 'TikTok', ['https://s.test/1']), null],
    ['the home page without www', responseFrom('https://www.tiktok.com/', 'TikTok', ['https://tiktok.com/']), null],
    ['the same title on another site', responseFrom('https://blog.test/about-tiktok', 'TikTok'), null],
    ['the title of a challenge', responseFrom('https://www.amazon.com/dp/1', 'Robot Check'), 'other_challenge'],
    ['the status of a challenge', responseFrom('https://www.amazon.com/dp/1', 'A lamp', [], 503), 'other_challenge'],
    ['the path of a challenge', responseFrom('https://www.google.com/sorry/index?q=1'), 'other_challenge'],
    ['a path with the same letters', responseFrom('https://www.walmart.com/ip/blocked-lamp'), null],
    ['a path that ends with it', responseFrom('https://www.walmart.com/blocked?url=1'), 'other_challenge'],
  ])('%s', (_, response, expected) => expect(siteWallOf(response)).toBe(expected))

  test('a title that asks for JavaScript is a wall on sites that send such pages', () => {
    const evidence = { hasNoScriptTitle: true }
    expect(siteWallOf({ ...responseFrom('https://x.com/jo/status/1'), evidence })).toBe('login')
    expect(siteWallOf({ ...responseFrom('https://x.com/'), evidence })).toBeNull()
    expect(siteWallOf({ ...responseFrom('https://app.test/page'), evidence })).toBeNull()
  })
})
