import { describe, expect, test } from 'bun:test'

import { describeFile, type ReceivedFile } from '../../../../src/core/extract/describe-file.ts'

const described = (file: string, options: Partial<ReceivedFile> = {}) =>
  describeFile({
    url: new URL('https://site.test/'),
    kind: 'other',
    bytes: Buffer.from(file),
    encoding: 'utf-8',
    ...options,
  })

const rss = (channel: string) => `<?xml version="1.0"?><rss version="2.0"><channel>${channel}</channel></rss>`
const atom = (feed: string) => `<feed xmlns="http://www.w3.org/2005/Atom">${feed}</feed>`

// Whole feeds are in test/fixtures/files.
describe('a feed', () => {
  test.each<[name: string, feed: string, metadata: object]>([
    ['with an editor without a name', rss('<managingEditor>jo@site.test</managingEditor>'), {}],
    ['with an editor', rss('<managingEditor>jo@site.test (Jo Doe)</managingEditor>'), { meta: { author: 'Jo Doe' } }],
    ['with a creator', rss('<dc:creator>Jo Doe</dc:creator>'), { meta: { author: 'Jo Doe' } }],
    ['with a placeholder as the author', rss('<itunes:author>admin</itunes:author>'), {}],
    ['with an author of an item only', rss('<item><dc:creator>Jo Doe</dc:creator></item>'), {}],
    ['with an author of an entry only', atom('<entry><author><name>Jo Doe</name></author></entry>'), {}],
    ['with a title of an image only', rss('<image><title>Logo</title></image>'), {}],
    ['with a title of a text input only', rss('<textInput><title>Search</title></textInput>'), {}],
    ['of Atom 0.3', atom('<tagline>News</tagline>'), { description: 'News' }],
    ['with a summary for podcasts', rss('<itunes:summary>News</itunes:summary>'), { description: 'News' }],
    ['with a blank description', rss('<description/><itunes:summary>N</itunes:summary>'), { description: 'N' }],
    ['with entities of HTML', rss('<title>A&nbsp;&mdash; b &amp;#8217; c</title>'), { title: 'A — b ’ c' }],
    ['with a template as the title', rss('<title>{{ title }}</title>'), {}],
    ['with an unknown language', rss('<language>und</language>'), {}],
    [
      'with a large image',
      rss('<image><url>/a.png</url><width>144</width></image>'),
      { image: 'https://site.test/a.png' },
    ],
    ['with an icon', rss('<image><width>64</width><url>/a.png</url></image>'), { favicon: 'https://site.test/a.png' }],
    ['with the site as the image', rss('<image><url>https://site.test/</url></image>'), {}],
    ['with an image on a private host', rss('<image><url>http://localhost/a.png</url></image>'), {}],
    [
      'with a relative base',
      atom('<icon>a.png</icon>').replace('<feed', '<feed xml:base="/x/"'),
      { favicon: 'https://site.test/x/a.png' },
    ],
    [
      'with a base of another scheme',
      atom('<icon>a.png</icon>').replace('<feed', '<feed xml:base="file:///"'),
      { favicon: 'https://site.test/a.png' },
    ],
    ['with a link to its site only', atom('<link href="https://site.test/blog"/>'), {}],
    ['with a link of FeedBurner', rss('<atom10:link rel="self" href="/f"/>'), { canonical_url: 'https://site.test/f' }],
    ['in capitals', '<RSS><CHANNEL><TITLE>News</TITLE></CHANNEL></RSS>', { title: 'News' }],
    ['that is none', '<weather><icon>sun</icon><logo>a</logo></weather>', {}],
    ['of which a part is missing', '<rss><channel><title>News</title><description>Ne', { title: 'News' }],
    ['of which the start is missing', '</channel></rss><rss><channel><title>News</title>', { title: 'News' }],
  ])('%s', (_, feed, metadata) => expect(described(feed).metadata as object).toEqual(metadata))

  test('has the canonical URL of its Link header, unless it has its own', () => {
    const canonical = '/header'
    const own = atom('<link rel="self" href="/own"/>')
    expect(described(own, { canonical }).metadata.canonical_url).toBe('https://site.test/own')
    expect(described(atom(''), { canonical }).metadata.canonical_url).toBe('https://site.test/header')
  })

  test('has its own title, before the name of the file', () => {
    expect(described(rss('<title>News</title>'), { fileName: 'feed.xml' }).metadata.title).toBe('News')
    expect(described(rss(''), { fileName: 'feed.xml' }).metadata.title).toBe('feed.xml')
  })
})
