import { describe, expect, test } from 'bun:test'

import type { OembedFacts } from '../../../src/previews/rules/oembed-facts.ts'
import type { Card } from '../../../src/previews/rules/card.ts'
import { PLATFORMS } from '../../../src/previews/platforms/platforms.ts'
import { robotsFactsOf, robotsTxtOf } from '../../../src/previews/rules/robots.ts'
import { cardFor, IMAGE_URL, PAGE_URL } from '../preview-page.ts'

const ALL = [
  '<title>=HTML',
  'description=Meta',
  'og:title=OG',
  'og:description=OGD',
  'twitter:title=TW',
  'twitter:description=TWD',
]
const IMAGE = 'og:image=/a.jpg'
const LARGE = 'twitter:card=summary_large_image'
const SMALL = 'twitter:card=summary'
const X_DOCS = 'developer.x.com/cards/markup'
const X_LARGE = 'developer.x.com: summary card with large image'
const META_IMAGES = 'developers.facebook.com/docs/sharing/webmasters/images'
const META_FAQ = 'developers.facebook.com/docs/sharing/webmasters/faq'
const WHATSAPP_DOCS = 'developers.facebook.com: WhatsApp link previews'
const MASTODON_RUBY = 'mastodon: app/lib/link_details_extractor.rb'
const MASTODON_CARD = 'mastodon: features/status/components/card.jsx'
const BLUESKY_EMBED = 'bluesky-social/social-app: ExternalEmbed/index.tsx'
const SIGNAL_FETCH = 'Signal-Desktop: linkPreviewFetch.ts'
const SIGNAL_SIZE = 'Signal-Desktop: shouldUseFullSizeLinkPreviewImage.ts'
const PINTEREST_DOCS = 'developers.pinterest.com: article pins'
const GOOGLE_ROBOTS = 'developers.google.com: robots meta tag'
const MASTODON_MODEL = 'mastodon: app/models/preview_card.rb, and its spec'
const APPLE = 'Apple TN2444, and the script in LinkPresentation'
const LINKEDIN_HELP = 'LinkedIn help: make your website shareable'
const UNVERIFIED = 'not documented; the card says that it is approximate'

interface Expected {
  layout?: string
  title?: string
  description?: string
  source?: string
  crop?: string | null
  problem?: string
  icon?: string | null
  accent?: string
}

describe('text', () => {
  test.each<[platform: string, name: string, tags: string[], expected: Expected, evidence: string]>([
    ['x', 'twitter:* before og:*', [...ALL, SMALL], { title: 'TW', description: 'TWD' }, X_DOCS],
    [
      'x',
      'og:* without twitter:*',
      ['og:title=OG', 'og:description=OGD', SMALL],
      { title: 'OG', description: 'OGD' },
      X_DOCS,
    ],
    [
      'x',
      'no twitter:card: a small card needs og:type, title and description',
      ['og:type=a', 'og:title=T', 'og:description=D'],
      { layout: 'left' },
      X_DOCS,
    ],
    ['x', 'no title but <title>: no card', ['<title>=T', SMALL], { layout: 'none' }, X_DOCS],
    ['x', 'no twitter:card and no og:type: no card', ['og:title=T', 'og:description=D'], { layout: 'none' }, X_DOCS],
    ['x', 'a title of 70 characters', [`twitter:title=${'a'.repeat(70)}`, SMALL], { title: 'a'.repeat(70) }, X_DOCS],
    [
      'x',
      'a title of 71 characters',
      [`twitter:title=${'a'.repeat(71)}`, SMALL],
      { title: `${'a'.repeat(69)}…` },
      X_DOCS,
    ],
    [
      'x',
      'a description of 200 characters',
      [`twitter:description=${'a'.repeat(200)}`, SMALL],
      { description: 'a'.repeat(200) },
      X_DOCS,
    ],
    [
      'x',
      'a description of 201 characters',
      [`twitter:description=${'a'.repeat(201)}`, SMALL],
      { description: `${'a'.repeat(199)}…` },
      X_DOCS,
    ],
    [
      'google',
      '<title> and the meta description',
      ALL,
      { title: 'HTML', description: 'Meta', layout: 'search' },
      'developers.google.com: title links, snippets',
    ],
    [
      'google',
      'og:title without <title>',
      ['og:title=OG'],
      { title: 'OG', description: '' },
      'developers.google.com: title links',
    ],
    [
      'google',
      'og:description is not used',
      ['<title>=T', 'og:description=OGD'],
      { description: '' },
      'developers.google.com: snippets',
    ],
    ['slack', 'og:* first', ALL, { title: 'OG', description: 'OGD' }, UNVERIFIED],
    [
      'slack',
      'twitter:* second',
      ['twitter:title=TW', '<title>=HTML'],
      { title: 'TW' },
      'docs.slack.dev: unfurling links',
    ],
    [
      'slack',
      'long descriptions are not cut',
      ['og:title=T', `og:description=${'a '.repeat(200)}`],
      { description: 'a '.repeat(200).trim() },
      UNVERIFIED,
    ],
    [
      'slack',
      'the site name, or else the host',
      ['og:title=T', 'og:site_name=S'],
      { source: 'S' },
      'opengraphplus.com: Slack',
    ],
    [
      'slack',
      'the host without a site name',
      ['og:title=T'],
      { source: 'example.com', icon: 'https://www.example.com/favicon.ico' },
      UNVERIFIED,
    ],
    [
      'slack',
      'theme-color is not used',
      ['og:title=T', 'theme-color=#123456'],
      { accent: '' },
      'opengraphplus.com: Discord only',
    ],
    ['signal', 'og:title before <title>, never twitter:*', ALL, { title: 'OG', description: 'OGD' }, SIGNAL_FETCH],
    ['signal', 'no title: no card', ['og:description=D', 'twitter:title=T'], { layout: 'none' }, SIGNAL_FETCH],
    [
      'pinterest',
      'an article has its site name',
      ['og:type=article', 'og:title=T', 'og:image=/a.jpg', 'og:site_name=S'],
      { title: 'T', source: 'S' },
      PINTEREST_DOCS,
    ],
    [
      'pinterest',
      'other pages have the host',
      ['og:title=T', 'og:image=/a.jpg', 'og:site_name=S'],
      { title: 'T', source: 'example.com' },
      'developers.pinterest.com: rich pins',
    ],
    [
      'pinterest',
      'pinterest-rich-pin=false is like another type',
      ['og:type=article', 'og:title=T', 'og:image=/a.jpg', 'og:site_name=S', 'pinterest-rich-pin=false'],
      { source: 'example.com' },
      'developers.pinterest.com: rich pins',
    ],
    [
      'pinterest',
      'pin:description first',
      ['og:title=T', 'og:description=OGD', 'og:image=/a.jpg', 'pin:description=P'],
      { title: 'T', description: 'P' },
      'gist of kentbrew, formerly at Pinterest',
    ],
    [
      'pinterest',
      'nopin: no card',
      ['og:title=T', 'og:image=/a.jpg', 'pinterest=nopin'],
      { layout: 'none' },
      'marketingland.com',
    ],
    ['google', 'nosnippet', [...ALL, 'robots=nosnippet'], { title: 'HTML', description: '' }, GOOGLE_ROBOTS],
    ['google', 'max-snippet:0', [...ALL, 'googlebot=max-snippet:0'], { description: '' }, GOOGLE_ROBOTS],
    ['google', 'max-snippet:3', [...ALL, 'robots=index, max-snippet:3'], { description: 'Met' }, GOOGLE_ROBOTS],
    ['google', 'max-snippet:-1 is no limit', [...ALL, 'robots=max-snippet:-1'], { description: 'Meta' }, GOOGLE_ROBOTS],
    [
      'google',
      'the strictest limit wins',
      [...ALL, 'robots=max-snippet:3', 'googlebot=max-snippet:2'],
      { description: 'Me' },
      GOOGLE_ROBOTS,
    ],
    [
      'google',
      'the site name of JSON-LD first',
      ['<title>=T', 'og:site_name=OG', 'json-ld={"@graph":[{"@type":"WebPage"},{"@type":"WebSite","name":"LD"}]}'],
      { source: 'LD' },
      'developers.google.com: site names',
    ],
    [
      'google',
      'og:site_name without it',
      ['<title>=T', 'og:site_name=OG', 'json-ld={"@type":"Organization","name":"LD"}'],
      { source: 'OG' },
      'developers.google.com: site names',
    ],
    ['facebook', 'og:* before HTML, never twitter:*', ALL, { title: 'OG', description: 'OGD' }, META_FAQ],
    [
      'facebook',
      'HTML without og:*',
      ['<title>=HTML', 'description=Meta', 'twitter:title=TW'],
      { title: 'HTML', description: 'Meta' },
      UNVERIFIED,
    ],
    ['linkedin', 'og:title', ALL, { title: 'OG' }, LINKEDIN_HELP],
    ['whatsapp', 'og:*', ALL, { title: 'OG', description: 'OGD', source: 'example.com' }, WHATSAPP_DOCS],
    ['imessage', 'og:title, no description', ALL, { title: 'OG', description: '' }, APPLE],
    ['imessage', 'twitter:title before <title>', ['<title>=HTML', 'twitter:title=TW'], { title: 'TW' }, APPLE],
    ['telegram', 'og:* first', ALL, { title: 'OG', description: 'OGD' }, UNVERIFIED],
    [
      'teams',
      'og:*, twitter:*, HTML',
      ['twitter:title=TW', '<title>=HTML', 'description=Meta'],
      { title: 'TW', description: 'Meta' },
      'tryunfurl.com: Teams',
    ],
    ['bluesky', 'og:*', ALL, { title: 'OG', description: 'OGD', source: 'example.com' }, UNVERIFIED],
    ['mastodon', 'og:* before HTML, never twitter:*', ALL, { title: 'OG', description: 'OGD' }, MASTODON_RUBY],
    [
      'mastodon',
      'JSON-LD of a news article first',
      [...ALL, 'json-ld={"@type":"NewsArticle","headline":"LD","publisher":{"name":"P"}}'],
      { title: 'LD', description: 'OGD', source: 'P' },
      MASTODON_RUBY,
    ],
    [
      'mastodon',
      'JSON-LD of other types is not used',
      [...ALL, 'json-ld={"@type":"Article","headline":"LD"}'],
      { title: 'OG' },
      MASTODON_RUBY,
    ],
  ])('%s: %s', (platform, _, tags, expected) => {
    expect(shown(cardFor(platform, tags))).toMatchObject(expected)
  })
})

describe('image', () => {
  const large = { layout: 'top', crop: '1.91:1' }
  const square = { layout: 'left', crop: '1:1' }
  test.each<[platform: string, name: string, tags: string[], image: string, expected: Expected, evidence: string]>([
    ['x', 'large at 300 × 157, cropped to 1.91:1', [LARGE], '300x157', { layout: 'overlay', crop: '1.91:1' }, X_LARGE],
    ['x', 'small at 299 × 157', [LARGE], '299x157', square, X_LARGE],
    ['x', 'small at 300 × 156', [LARGE], '300x156', square, X_LARGE],
    ['x', 'small with summary', [SMALL], '1200x630', square, X_DOCS],
    ['x', 'shown at 144 × 144', [SMALL], '144x144', square, 'developer.x.com: summary card'],
    [
      'x',
      'not shown at 143 × 144',
      [SMALL],
      '143x144',
      { layout: 'left', crop: null, problem: 'og:image: 143 × 144, under 144 × 144' },
      'developer.x.com: summary card',
    ],
    ['x', 'shown at 5 MB', [LARGE], '1200x630 5242880', { crop: '1.91:1' }, X_DOCS],
    [
      'x',
      'not shown over 5 MB',
      [LARGE],
      '1200x630 5452595',
      { crop: null, problem: 'og:image: 5.2 MB, over 5 MB' },
      X_DOCS,
    ],
    [
      'x',
      'no SVG',
      [LARGE],
      '1200x630 1000 image/svg+xml',
      { crop: null, problem: 'og:image: SVG is not supported' },
      X_DOCS,
    ],
    [
      'x',
      'no AVIF',
      [LARGE],
      '1200x630 1000 image/avif',
      { crop: null, problem: 'og:image: image/avif is not supported' },
      X_DOCS,
    ],
    ['facebook', 'large at 600 × 315', [], '600x315', large, META_IMAGES],
    ['facebook', 'a square at 599 × 315', [], '599x315', square, META_FAQ],
    ['facebook', 'a square at 600 × 314', [], '600x314', square, META_FAQ],
    ['facebook', 'a square at 200 × 200', [], '200x200', square, META_IMAGES],
    [
      'facebook',
      'none at 199 × 200',
      [],
      '199x200',
      { layout: 'text', crop: null, problem: 'og:image: 199 × 200, under 200 × 200' },
      META_IMAGES,
    ],
    ['facebook', 'shown at 8 MB', [], '1200x630 8388608', large, META_IMAGES],
    [
      'facebook',
      'not shown over 8 MB',
      [],
      '1200x630 8388609',
      { crop: null, problem: 'og:image: over 8 MB' },
      META_IMAGES,
    ],
    ['facebook', 'a portrait is cropped', [], '800x1200', large, META_IMAGES],
    ['linkedin', 'large at a width of 401', [], '401x210', large, LINKEDIN_HELP],
    ['linkedin', 'a thumbnail at a width of 400', [], '400x210', square, LINKEDIN_HELP],
    [
      'linkedin',
      'not shown over 5 MB',
      [],
      '1200x627 6291456',
      { crop: null, problem: 'og:image: 6 MB, over 5 MB' },
      LINKEDIN_HELP,
    ],
    ['whatsapp', 'large at a width of 300', [], '300x200', large, WHATSAPP_DOCS],
    ['whatsapp', 'small at a width of 299', [], '299x200', square, WHATSAPP_DOCS],
    ['whatsapp', 'large at 4:1', [], '1200x300', large, WHATSAPP_DOCS],
    ['whatsapp', 'small when wider than 4:1', [], '1201x300', square, WHATSAPP_DOCS],
    ['whatsapp', 'large at 600 KB', [], '1200x630 614400', large, WHATSAPP_DOCS],
    ['whatsapp', 'small over 600 KB', [], '1200x630 614401', square, WHATSAPP_DOCS],
    ['slack', 'a portrait is not cropped', [], '800x1200', { layout: 'below', crop: 'whole' }, UNVERIFIED],
    ['slack', 'a thumbnail with summary', [SMALL], '1200x630', { layout: 'right' }, 'opengraphplus.com: Slack'],
    ['imessage', 'a portrait is not cropped', [], '800x1200', { layout: 'top', crop: 'whole' }, UNVERIFIED],
    [
      'imessage',
      'a small image beside the text',
      [],
      '199x300',
      { layout: 'right' },
      'Apple TN2444: lower quality images as icons',
    ],
    ['telegram', 'large with summary_large_image', [LARGE], '1200x630', { layout: 'below', crop: 'whole' }, UNVERIFIED],
    ['telegram', 'a small square without it', [], '1200x630', { layout: 'right', crop: '1:1' }, UNVERIFIED],
    ['teams', 'a thumbnail', [LARGE], '1200x630', square, UNVERIFIED],
    ['bluesky', 'any image above the text', [], '100x100', large, BLUESKY_EMBED],
    ['mastodon', 'large when wider than high', [], '631x630', large, MASTODON_CARD],
    ['mastodon', 'a square when as wide as high', [], '630x630', square, MASTODON_CARD],
    ['mastodon', 'a square when portrait', [], '630x1200', square, MASTODON_CARD],
    ['mastodon', 'WebP of 8 MB', [], '1200x630 8388608 image/webp', large, MASTODON_MODEL],
    [
      'mastodon',
      'not shown over 8 MB',
      [],
      '1200x630 8388609',
      { crop: null, problem: 'og:image: over 8 MB' },
      MASTODON_MODEL,
    ],
    [
      'mastodon',
      'no AVIF',
      [],
      '1200x630 1000 image/avif',
      { crop: null, problem: 'og:image: image/avif is not supported' },
      MASTODON_MODEL,
    ],
    ['signal', 'large at 200 × 300', [], '200x300', large, SIGNAL_SIZE],
    ['signal', 'a square at 199 × 300', [], '199x300', square, SIGNAL_SIZE],
    ['signal', 'a square if almost square', [], '400x385', square, SIGNAL_SIZE],
    ['signal', 'large at a difference of 5 %', [], '400x425', large, SIGNAL_SIZE],
    [
      'signal',
      'not shown over 1 MB',
      [],
      '1200x630 1048577',
      { crop: null, problem: 'og:image: over 1 MB' },
      SIGNAL_FETCH,
    ],
    ['pinterest', 'not cropped', [], '800x1200', { layout: 'top', crop: 'whole' }, UNVERIFIED],
    [
      'google',
      'no image',
      [],
      '1200x630',
      { layout: 'search', crop: null, problem: '' },
      'developers.google.com: snippets',
    ],
  ])('%s: %s', (platform, _, tags, image, expected) => {
    expect(shown(cardFor(platform, ['og:title=T', IMAGE, ...tags], image))).toMatchObject(expected)
  })

  test.each<[platform: string, tags: string[], expected: Expected, evidence: string]>([
    ['x', [SMALL], { layout: 'left', crop: null }, 'developer.x.com: summary card'],
    ['facebook', [], { layout: 'text' }, UNVERIFIED],
    ['linkedin', [], { layout: 'text' }, UNVERIFIED],
    ['slack', [], { layout: 'text' }, UNVERIFIED],
    ['pinterest', [], { layout: 'none' }, UNVERIFIED],
    ['signal', [], { layout: 'text' }, SIGNAL_FETCH],
    ['whatsapp', [], { layout: 'text' }, WHATSAPP_DOCS],
    [
      'imessage',
      ['link apple-touch-icon=/touch.png'],
      { layout: 'right', icon: 'https://www.example.com/touch.png' },
      APPLE,
    ],
    [
      'imessage',
      ['link apple-touch-icon=/touch.png', 'link apple-touch-icon-precomposed=/precomposed.png'],
      { layout: 'right', icon: 'https://www.example.com/precomposed.png' },
      APPLE,
    ],
    ['imessage', [], { layout: 'right', icon: 'https://www.example.com/favicon.ico' }, APPLE],
    ['telegram', [], { layout: 'text' }, UNVERIFIED],
    ['teams', [], { layout: 'text' }, UNVERIFIED],
    ['bluesky', [], { layout: 'text' }, BLUESKY_EMBED],
    ['mastodon', [], { layout: 'left', crop: null }, MASTODON_CARD],
    ['google', [], { layout: 'search' }, 'developers.google.com'],
  ])('%s without an image', (platform, tags, expected) => {
    expect(shown(cardFor(platform, ['og:title=T', ...tags]))).toMatchObject(expected)
  })

  test('the first tag that the app reads wins', () => {
    const tags = ['og:title=T', 'og:image=/a.jpg', 'og:image=/b.jpg', 'twitter:image=/c.jpg', LARGE]
    const urlOf = (platform: string) => cardFor(platform, tags).image?.url
    expect([urlOf('x'), urlOf('facebook'), urlOf('mastodon')]).toEqual([
      'https://www.example.com/c.jpg',
      IMAGE_URL,
      IMAGE_URL,
    ])
    const secure = cardFor('imessage', ['og:title=T', IMAGE, 'og:image:secure_url=https://cdn.example/s.jpg'])
    expect(secure.image?.url).toBe('https://cdn.example/s.jpg')
    const last = cardFor('imessage', ['og:title=T', 'twitter:image=/c.jpg'])
    expect(last.image?.url).toBe('https://www.example.com/c.jpg')
  })

  test('an image that failed has the reason, and is not shown', () => {
    expect(shown(cardFor('slack', ['og:title=T', IMAGE], '!HTTP 404'))).toMatchObject({
      layout: 'text',
      crop: null,
      problem: 'og:image: HTTP 404',
    })
    expect(cardFor('slack', ['og:title=T', 'og:image=data:image/png;base64,AA']).imageProblem).toBe(
      'og:image: not an http(s) URL',
    )
  })

  test.each([
    ['x', LARGE, 'overlay'],
    ['discord', 'twitter:card=photo', 'alone'],
  ])('%s with %s does not use the description, which it does not show', (app, card, layout) => {
    const shownCard = cardFor(app, [...ALL, IMAGE, card], '1200x630')
    expect([shownCard.layout, shownCard.description, shownCard.used.description]).toEqual([layout, '', ''])
  })

  test('an image whose size is unknown counts as large enough', () => {
    expect(shown(cardFor('facebook', ['og:title=T', IMAGE]))).toMatchObject(large)
  })
})

test.each(PLATFORMS.filter(({ id }) => id !== 'google').map(({ id }) => [id]))(
  '%s shows no card for a page without tags',
  (platform) => expect(cardFor(platform, []).layout).toBe('none'),
)

test.each(['id', 'name'] as const)('every app has an %s of its own', (key) => {
  expect(new Set(PLATFORMS.map((platform) => platform[key])).size).toBe(PLATFORMS.length)
})

const OEMBED: OembedFacts = {
  url: 'https://www.example.com/oembed',
  problem: '',
  type: 'link',
  title: 'From oEmbed',
  author: 'Jo',
  provider: 'Example',
  image: IMAGE_URL,
  thumbnail: IMAGE_URL,
}

describe('oEmbed', () => {
  const MASTODON_OEMBED = 'mastodon: app/services/fetch_link_card_service.rb'
  test.each<[platform: string, name: string, oembed: Partial<OembedFacts>, expected: Partial<Card>, evidence: string]>([
    [
      'mastodon',
      'a link replaces the tags',
      {},
      { title: 'From oEmbed', author: 'By Jo', description: '', source: 'Example', layout: 'top' },
      MASTODON_OEMBED,
    ],
    ['mastodon', 'a photo', { type: 'photo' }, { title: 'From oEmbed', layout: 'top' }, MASTODON_OEMBED],
    ['mastodon', 'a photo without a URL', { type: 'photo', image: null }, { title: 'OG' }, MASTODON_OEMBED],
    ['mastodon', 'rich markup is not used', { type: 'rich' }, { title: 'OG', author: '' }, MASTODON_OEMBED],
    ['mastodon', 'a failure is not used', { problem: 'HTTP 404' }, { title: 'OG' }, MASTODON_OEMBED],
    ['mastodon', 'the host without a provider', { provider: '' }, { source: 'example.com' }, MASTODON_OEMBED],
    ['slack', 'is not shown', {}, { title: 'OG', author: '', description: 'OGD' }, UNVERIFIED],
  ])('%s: %s', (platform, _, oembed, expected) => {
    const facts = { oembed: { ...OEMBED, ...oembed } }
    expect(cardFor(platform, [...ALL, IMAGE], '1200x630', facts)).toMatchObject(expected)
  })
})

describe('author', () => {
  test.each<[platform: string, tags: string[], expected: Partial<Card>, evidence: string]>([
    ['mastodon', ['og:author=Jo'], { author: 'By Jo', description: '' }, MASTODON_CARD],
    [
      'mastodon',
      ['og:author=Jo', 'json-ld={"@type":"WebPage","author":[{"name":"Ann"}]}'],
      { author: 'By Ann' },
      MASTODON_RUBY,
    ],
    ['mastodon', ['author=Jo'], { author: '', description: 'OGD' }, MASTODON_RUBY],
  ])('%s with %p', (platform, tags, expected) => {
    expect(cardFor(platform, [...ALL, ...tags])).toMatchObject(expected)
  })
})

test.each([
  ['google', 'robots=noindex, nofollow', 'noindex: not listed'],
  ['google', 'googlebot=none', 'noindex: not listed'],
  ['google', 'robots=index, max-snippet:none-such', ''],
  ['slack', 'robots=noindex', ''],
])('%s with %s', (platform, tag, problem) => {
  const card = cardFor(platform, [...ALL, tag])
  expect([card.layout === 'none', card.problem]).toEqual([false, problem])
})

describe('robots.txt', () => {
  const disallowed = (url: string) => ({
    robots: [robotsFactsOf(new URL(url), robotsTxtOf('User-agent: *\nDisallow: /'))],
  })
  test.each(['x', 'facebook', 'linkedin'])('%s shows no card of a page that it may not request', (id) => {
    const { layout, problem } = cardFor(id, [...ALL, SMALL], '', disallowed(PAGE_URL))
    expect([layout, problem]).toEqual(['none', expect.stringMatching(/^robots\.txt disallows \w+$/)])
  })

  test('a link that it may not request has no card, wherever it leads', () => {
    const requestedUrl = 'https://short.example/x'
    expect(cardFor('x', [...ALL, SMALL], '', { requestedUrl, ...disallowed(requestedUrl) }).layout).toBe('none')
  })

  test('an image that it may not request is missing', () => {
    const card = cardFor('x', [...ALL, IMAGE, LARGE], '1200x630', disallowed(IMAGE_URL))
    expect([card.layout, card.image, card.imageProblem]).toEqual([
      'left',
      null,
      'og:image: robots.txt disallows Twitterbot',
    ])
  })

  test.each(['slack', 'telegram', 'discord'])('%s ignores it, or does not say', (id) => {
    expect(cardFor(id, ALL, '', disallowed(PAGE_URL)).problem).toBe('')
  })

  test('Google may still list the page', () => {
    const { layout, problem } = cardFor('google', ALL, '', disallowed(PAGE_URL))
    expect([layout, problem]).toEqual(['search', 'robots.txt disallows Googlebot'])
  })
})

/** The parts of a card that cases expect. */
function shown(card: ReturnType<typeof cardFor>): Expected {
  const { layout, title, description, source, image, imageProblem, icon, accent } = card
  return { layout, title, description, source, crop: image?.crop ?? null, problem: imageProblem, icon, accent }
}

describe('every app', () => {
  test('has its lines of a title, lines of a description and bytes of HTML', () => {
    const limits = PLATFORMS.map(({ id, maxLines, maxHtmlBytes }) => [
      id,
      maxLines.title,
      maxLines.description,
      maxHtmlBytes,
    ])
    // 0 and null: no limit.
    expect(limits).toEqual([
      ['x', 2, 2, null],
      ['facebook', 2, 1, 1_048_576],
      ['linkedin', 2, 0, null],
      ['slack', 0, 0, 32_768],
      ['discord', 3, 20, 52_428_800],
      ['whatsapp', 2, 2, 307_200],
      ['imessage', 2, 0, null],
      ['signal', 2, 3, 1_024_000],
      ['telegram', 2, 4, null],
      ['teams', 2, 2, null],
      ['bluesky', 3, 2, null],
      ['mastodon', 2, 1, null],
      ['pinterest', 2, 3, null],
      ['google', 2, 3, null],
    ])
  })

  test.each(PLATFORMS.map(({ id }) => id))('uses no tags of a page without any: %s', (id) => {
    expect(cardFor(id, []).used).toStrictEqual({ title: '', author: '', description: '', image: '' })
  })

  test('except Google runs no scripts', () => {
    expect(PLATFORMS.filter(({ runsScripts }) => runsScripts).map(({ id }) => id)).toEqual(['google'])
  })
})
