import { describe, expect, test } from 'bun:test'

import { endpointOf } from '../../../src/core/oembed/endpoints.ts'
import { matchesWildcards } from '../../../src/core/wildcards.ts'

describe('known providers', () => {
  test.each<[page: string, endpoint: string | null]>([
    ['https://www.youtube.com/watch?v=1', 'https://www.youtube.com/oembed'],
    ['https://m.youtube.com/watch?v=1', 'https://www.youtube.com/oembed'],
    ['http://www.youtube.com/watch?v=1', 'https://www.youtube.com/oembed'],
    ['https://youtube.com/watch?v=1', 'https://www.youtube.com/oembed'],
    ['https://static.flickr.com/1/2', null],
    ['https://youtu.be/1', 'https://www.youtube.com/oembed'],
    ['https://youtube.com/shorts/1', 'https://www.youtube.com/oembed'],
    ['https://www.youtube.com/about', null],
    ['https://www.youtube.com:8443/watch?v=1', null],
    ['https://www.youtube.com.evil.test/watch?v=1', null],
    ['https://evilyoutube.com/watch?v=1', null],
    ['https://evil.test/https://www.youtube.com/watch?v=1', null],
    ['https://vimeo.com/1', 'https://vimeo.com/api/oembed.json'],
    ['https://x.vimeo.com/1', null],
    ['https://x.com/jack/status/20', 'https://publish.x.com/oembed'],
    ['https://twitter.com/jack/status/20', 'https://publish.twitter.com/oembed'],
    ['https://www.reddit.com/r/a/comments/1/b/', 'https://www.reddit.com/oembed'],
    ['https://www.reddit.com/r/a/', null],
    ['https://farm1.static.flickr.com/1/2', 'https://www.flickr.com/services/oembed/'],
    // These need the token of an app.
    ['https://www.instagram.com/p/1/', null],
    ['https://www.facebook.com/page/posts/1', null],
    ['https://127.0.0.1/', null],
    ['https://[::1]/', null],
    ['https://localhost/', null],
  ])('%s → %s', (page, endpoint) => {
    const request = endpointOf(new URL(page))
    expect(request && request.origin + request.pathname).toBe(endpoint)
  })

  test('get a request for JSON about the page without its fragment', () => {
    const query = (page: string) => Object.fromEntries(endpointOf(new URL(page))!.searchParams)
    const page = 'https://www.youtube.com/watch?v=a%26b&list=c d'
    expect(query(`${page}#t=1`)).toEqual({ url: new URL(page).href, format: 'json' })
    expect(query('https://vimeo.com/1')).toEqual({ url: 'https://vimeo.com/1' })
  })

  test('get no request with a URL that is too long', () => {
    expect(endpointOf(new URL(`https://vimeo.com/${'a'.repeat(8_180)}`))).toBeNull()
  })

  test('have names that DNS allows', () => {
    const page = (labels: number) => new URL(`https://${'a.'.repeat(labels)}wordpress.com/1`)
    expect(endpointOf(page(1))).not.toBeNull()
    expect(endpointOf(page(4_000))).toBeNull()
  })
})

describe('wildcards', () => {
  test.each<[text: string, pattern: string, expected: boolean]>([
    ['/a', '/a', true],
    ['/a', '/b', false],
    ['/ab', '/a', false],
    ['/', '/*', true],
    ['/a/b/c', '/a/*', true],
    ['/a/b/c', '/*/c', true],
    ['/a/b/d', '/*/c', false],
    ['/r/x/comments/1/y', '/r/*/comments/*/*', true],
    ['/r/x/comments', '/r/*/comments/*/*', false],
    ['/ab', '/ab*b', false],
    ['/abb', '/ab*b', true],
    ['/ab', '/a*b*b', false],
    ['/a*b', '/a*b', true],
    ['/a.b', '/a?b', false],
  ])('%s and %s', (text, pattern, expected) => expect(matchesWildcards(text, pattern)).toBe(expected))
})
