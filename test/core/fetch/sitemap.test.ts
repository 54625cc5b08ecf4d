import { describe, expect, test } from 'bun:test'

import { parseSitemap, type Sitemap } from '../../../src/core/fetch/sitemap.ts'

const URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
const pages = (...urls: string[]): Sitemap => ({ kind: 'pages', urls })

describe('a sitemap', () => {
  test.each<[name: string, text: string, expected: Sitemap | null]>([
    [
      'of pages',
      `<?xml version="1.0" encoding="UTF-8"?>\n${URLSET}<url><loc>https://a.example/</loc><lastmod>2026-11-01</lastmod></url>
       <url><loc>\n  https://a.example/b\n</loc></url></urlset>`,
      pages('https://a.example/', 'https://a.example/b'),
    ],
    [
      'of sitemaps',
      '<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc></sitemap></sitemapindex>',
      { kind: 'index', urls: ['https://a.example/1.xml.gz'] },
    ],
    [
      'with references',
      `${URLSET}<url><loc>https://a.example/?a=1&amp;b=2&#x26;c</loc></url></urlset>`,
      pages('https://a.example/?a=1&b=2&c'),
    ],
    [
      'with CDATA',
      `${URLSET}<url><loc> <![CDATA[https://a.example/?a=1&b=2]]> </loc></url></urlset>`,
      pages('https://a.example/?a=1&b=2'),
    ],
    [
      'with images and videos',
      `${URLSET}<url><loc>https://a.example/</loc><image:image><image:loc>https://a.example/i.png</image:loc></image:image>
       <video:video><video:thumbnail_loc>https://a.example/v.png</video:thumbnail_loc></video:video></url></urlset>`,
      pages('https://a.example/'),
    ],
    [
      'with a prefix for its namespace',
      '<sm:urlset xmlns:sm="http://www.sitemaps.org/schemas/sitemap/0.9"><sm:url><sm:loc>https://a.example/</sm:loc><loc>no</loc></sm:url></sm:urlset>',
      pages('https://a.example/'),
    ],
    [
      'with comments',
      `<!-- <sitemapindex> -->${URLSET}<!-- <url><loc>https://a.example/old</loc></url> --><url><loc>https://a.example/</loc></url></urlset>`,
      pages('https://a.example/'),
    ],
    [
      'with attributes and an empty element',
      `${URLSET}<url><loc xml:lang="en">https://a.example/</loc></url><url><loc/></url><url><loc></loc></url></urlset>`,
      pages('https://a.example/'),
    ],
    [
      'that ends within an element',
      `${URLSET}<url><loc>https://a.example/</loc></url><url><loc>https://a.ex`,
      pages('https://a.example/'),
    ],
    [
      'with a URL of 1 MB',
      `${URLSET}<url><loc>https://a.example/${'a'.repeat(1_000_000)}</loc></url></urlset>`,
      pages(`https://a.example/${'a'.repeat(64 * 1024 - 18)}`),
    ],
    ['without pages', `${URLSET}</urlset>`, pages()],
    ['as text', 'https://a.example/\r\nhttps://a.example/b\n', pages('https://a.example/', 'https://a.example/b')],
    ['that is a page', '<!doctype html><title>Not found</title><loc>https://a.example/</loc>', null],
    ['that is a feed', '<rss><channel><item><link>https://a.example/</link></item></channel></rss>', null],
    ['that is empty', ' \n', null],
  ])('%s', (_, text, expected) => {
    expect(parseSitemap(text)).toEqual(expected)
  })
})

describe('a hostile sitemap is read in linear time', () => {
  const repeated = (text: string) => (length: number) => URLSET + text.repeat(length / text.length)
  test.each([
    ['white space in an element', (length: number) => `${URLSET}<url><loc>${' '.repeat(length)}</loc></url>`],
    ['elements without end', repeated('<loc>')],
    ['elements with attributes', repeated('<loc a')],
    ['comments without end', repeated('<!--')],
    ['CDATA without end', repeated('<loc><![CDATA[')],
    [
      'CDATA that ends again and again',
      (length: number) => `${URLSET}<loc><![CDATA[${']]> '.repeat(length / 4)}</loc>`,
    ],
    ['references', repeated('<loc>&amp;&#</loc>')],
    ['line breaks', (length: number) => `https://a.example/${'\n \r'.repeat(length / 3)}x`],
  ])('%s', (_, make) => {
    const timeOf = (length: number) => {
      const text = make(length)
      const startedAt = performance.now()
      parseSitemap(text)
      return performance.now() - startedAt
    }
    timeOf(100_000)
    const small = Math.max(5, Math.min(timeOf(500_000), timeOf(500_000)))
    // Quadratic time would be 64 times as long.
    expect(timeOf(4_000_000)).toBeLessThan(32 * small)
  })
})
