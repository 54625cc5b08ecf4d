import { describe, expect, test } from 'bun:test'

import { extractHtml } from '../../../src/core/extract/extract.ts'

/** The values of a page on https://site.test/a, without its title element. */
function valuesOf(html: string): object {
  const bytes = new TextEncoder().encode(html)
  return extractHtml({ bytes, encoding: 'utf-8', url: new URL('https://site.test/a'), now: Date.UTC(2026, 0, 1) })
    .metadata
}

const jsonLd = (json: string) => `<script type="application/ld+json">${json}</script>`

describe('https://ogp.me', () => {
  test.each<[name: string, html: string, values: object]>([
    [
      'basic metadata',
      '<html prefix="og: https://ogp.me/ns#"><head><title>The Rock (1996)</title><meta property="og:title" content="The Rock" /><meta property="og:type" content="video.movie" /><meta property="og:url" content="https://www.imdb.com/title/tt0117500/" /><meta property="og:image" content="https://ia.media-imdb.com/images/rock.jpg" />',
      {
        title: 'The Rock',
        type: 'video.movie',
        canonical_url: 'https://www.imdb.com/title/tt0117500/',
        image: 'https://ia.media-imdb.com/images/rock.jpg',
      },
    ],
    [
      'optional metadata',
      '<meta property="og:audio" content="https://example.com/bond/theme.mp3" /><meta property="og:description" content="Sean Connery found fame and fortune." /><meta property="og:determiner" content="the" /><meta property="og:locale" content="en_GB" /><meta property="og:locale:alternate" content="fr_FR" /><meta property="og:site_name" content="IMDb" />',
      { description: 'Sean Connery found fame and fortune.', locale: 'en_GB', site_name: 'IMDb' },
    ],
    [
      'structured properties and arrays',
      '<meta property="og:image" content="https://example.com/rock.jpg" /><meta property="og:image:width" content="300" /><meta property="og:image:height" content="300" /><meta property="og:image" content="https://example.com/rock2.jpg" />',
      { image: 'https://example.com/rock.jpg' },
    ],
    [
      'only a secure address',
      '<meta property="og:image:secure_url" content="https://secure.example.com/ogp.jpg" />',
      { image: 'https://secure.example.com/ogp.jpg' },
    ],
    [
      'an article',
      '<meta property="og:type" content="article" /><meta property="article:published_time" content="2010-05-24T09:00Z" /><meta property="article:modified_time" content="2010-05-25" /><meta property="article:author" content="https://example.com/profile/jo" />',
      { type: 'article', meta: { published_time: '2010-05-24T09:00Z', modified_time: '2010-05-25' } },
    ],
  ])('%s', (_, html, values) => expect(valuesOf(html)).toEqual(values))
})

describe('https://schema.org', () => {
  test.each<[name: string, html: string, values: object]>([
    [
      'an element without a property inside an item in microdata',
      '<div itemscope itemtype="https://schema.org/Comment"><div>First!</div><span itemprop="author">Jo Doe</span></div>',
      {},
    ],
    [
      'the text of a time element with a datetime in microdata',
      '<div itemscope itemtype="https://schema.org/NewsArticle"><time itemprop="author" datetime="2024">Jo Doe</time></div>',
      {},
    ],
    [
      'an article in microdata',
      '<div itemscope itemtype="https://schema.org/NewsArticle"><meta itemscope itemprop="mainEntityOfPage" itemtype="https://schema.org/WebPage" itemid="https://google.com/article"/><h2 itemprop="headline">Article headline</h2><h3 itemprop="author" itemscope itemtype="https://schema.org/Person">By <span itemprop="name">John Doe</span></h3><meta itemprop="description" content="A most wonderful article"/><div itemprop="publisher" itemscope itemtype="https://schema.org/Organization"><meta itemprop="name" content="Google"></div><meta itemprop="datePublished" content="2015-02-05T08:00:00+08:00"/><meta itemprop="dateModified" content="2015-02-05T09:20:00+08:00"/></div>',
      {
        description: 'A most wonderful article',
        meta: {
          author: 'John Doe',
          published_time: '2015-02-05T08:00:00+08:00',
          modified_time: '2015-02-05T09:20:00+08:00',
        },
      },
    ],
    [
      'a book with a review',
      jsonLd(
        '{"@context": "https://schema.org", "@type": "WebPage", "mainEntity": {"@type": "Book", "author": "/author/jd_salinger.html", "name": "The Catcher in the Rye", "datePublished": "1991-05-01", "publisher": "Little, Brown, and Company", "review": {"@type": "Review", "author": "John Doe", "datePublished": "2006-05-04", "name": "A masterpiece of literature"}}}',
      ),
      {
        title: 'The Catcher in the Rye',
        site_name: 'Little, Brown, and Company',
        meta: { published_time: '1991-05-01' },
      },
    ],
    [
      'a recipe',
      jsonLd(
        '{"@context": "https://schema.org", "@type": "Recipe", "author": "John Smith", "datePublished": "2009-05-08", "description": "This classic banana bread recipe comes from my mom.", "image": "bananabread.jpg", "name": "Mom\'s World Famous Banana Bread"}',
      ),
      {
        title: "Mom's World Famous Banana Bread",
        description: 'This classic banana bread recipe comes from my mom.',
        image: 'https://site.test/bananabread.jpg',
        meta: { author: 'John Smith', published_time: '2009-05-08' },
      },
    ],
    [
      'a local business',
      jsonLd(
        '{"@context": "https://schema.org", "@type": "Restaurant", "name": "GreatFood", "description": "Italian"}',
      ),
      {},
    ],
  ])('%s', (_, html, values) => expect(valuesOf(html)).toEqual(values))
})

/** After https://github.com/microformats/tests, v1 and v2. */
describe('microformats', () => {
  const ENTRY = '<time class="dt-published" datetime="2012-06-25T17:08:26">June 25th, 2012</time>'
  test.each<[name: string, html: string, values: object]>([
    [
      'an hentry',
      '<div class="hentry"><h1><a class="entry-title" href="/at-7">at 7</a></h1><p>Updated <time class="updated" datetime="2012-06-26">June 26th</time> <span class="published">2012-06-25</span> by <span class="author vcard"><a class="fn url" href="http://tantek.com/">Tantek Çelik</a></span></p></div>',
      { meta: { author: 'Tantek Çelik', published_time: '2012-06-25', modified_time: '2012-06-26' } },
    ],
    [
      'an hnews with an organization',
      '<div class="hnews hentry"><h1 class="entry-title">at 7</h1><span class="author vcard"><a class="fn url" href="/t">Tantek Çelik</a></span><span class="source-org vcard"><a class="fn org url" href="/m">microformats.org</a></span></div>',
      { meta: { author: 'Tantek Çelik' } },
    ],
    [
      'an h-entry',
      `<div class="h-entry"><h1 class="p-name">at 7</h1><p>${ENTRY} by <a class="p-author h-card" href="/t">Tantek Çelik</a></p></div>`,
      { meta: { author: 'Tantek Çelik', published_time: '2012-06-25T17:08:26' } },
    ],
    [
      'mixed roots',
      '<div class="h-entry hentry"><div class="h-card vcard author p-author"><a href="https://aaronparecki.com/" rel="author" class="u-url">aaronparecki.com</a><a class="p-name fn value" href="/">Aaron Parecki</a></div></div>',
      { meta: { author: 'Aaron Parecki' } },
    ],
    ['a card that is no author', '<div class="vcard"><span class="fn">Jo Doe</span></div>', {}],
  ])('%s', (_, html, values) => expect(valuesOf(html)).toEqual(values))
})

/** After https://github.com/scrapinghub/extruct, tests/samples. */
describe('extruct', () => {
  test.each<[name: string, html: string, values: object]>([
    ['CDATA', jsonLd('//<![CDATA[\n{"@type": "Article", "headline": "A"}\n//]]>'), { title: 'A' }],
    ['a comment', jsonLd('/* shop */ {"@type": "Product", "name": "A"} // end'), { title: 'A' }],
    ['control characters', jsonLd('{"@type": "Product", "name": "A\n\tB"}'), { title: 'A B' }],
    ['invalid escapes', jsonLd('{"@type": "Product", "name": "A \\& B"}'), { title: 'A & B' }],
    ['a trailing brace', jsonLd('{"@type": "Product", "name": "A"}}'), { title: 'A' }],
    [
      'an invalid block before a valid one',
      `${jsonLd('{"@type": oops')}${jsonLd('{"@type": "Event", "name": "A"}')}`,
      { title: 'A' },
    ],
    ['null', `${jsonLd('null')}${jsonLd('[]')}${jsonLd('')}`, {}],
    ['Open Graph in the body', '<body><p>x</p><meta property="og:title" content="A">', { title: 'A' }],
    [
      'Dublin Core',
      '<meta name="DC.Title" content="A"><meta name="DC.Creator" content="Jo Doe"><meta name="DC.Date.Created" content="2016-05-04">',
      { title: 'A', meta: { author: 'Jo Doe', published_time: '2016-05-04' } },
    ],
  ])('%s', (_, html, values) => expect(valuesOf(html)).toEqual(values))
})
