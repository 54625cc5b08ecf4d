import { describe, expect, test } from 'bun:test'

import { listPageTags } from '../../../src/previews/tags/list-page-tags.ts'
import { LIMIT_REACHED } from '../../../src/core/fetch/image-facts.ts'
import { unknownOembed } from '../../../src/previews/rules/oembed-facts.ts'
import { keyOf } from '../../../src/previews/tags/page-tags.ts'
import { checksOf } from '../../../src/previews/checks/checks.ts'
import type { TagCheck, CheckFacts } from '../../../src/previews/checks/check.ts'
import { correctedTags } from '../../../src/previews/checks/corrected-tags.ts'
import { cardsOf } from '../../../src/previews/rules/preview.ts'
import { htmlOf, imageFacts, PAGE_URL, tagsOf } from '../preview-page.ts'

const IMAGE = 'og:image=https://www.example.com/a.jpg'

/** A page without anything to improve. */
const GOOD = [
  '<title>Northern lights',
  'description=Where to see them.',
  'link canonical=https://www.example.com/lights',
  'og:title=Northern lights',
  'og:description=Where to see them.',
  'og:type=article',
  'og:site_name=Example',
  'og:url=https://www.example.com/lights',
  IMAGE,
  'og:image:width=1200',
  'og:image:height=630',
  'og:image:alt=A green sky',
  'twitter:card=summary_large_image',
].map((tag) => tag.replace('<title>', '<title>='))

/** The good page with some tags replaced (`og:title=…`), added, or removed (`-og:title`). */
function changed(changes: readonly string[]): string[] {
  const nameOf = (tag: string) => tag.slice(0, tag.indexOf('=') < 0 ? undefined : tag.indexOf('='))
  const removed = new Set(changes.map((change) => nameOf(change).replace(/^[-+]/, '')))
  const added = new Set(changes.filter((change) => change.startsWith('+')).map((change) => nameOf(change).slice(1)))
  const kept = GOOD.filter((tag) => !removed.has(nameOf(tag)) || added.has(nameOf(tag)))
  return [...kept, ...changes.filter((change) => !change.startsWith('-')).map((change) => change.replace(/^\+/, ''))]
}

function factsFor(changes: readonly string[], facts: Partial<CheckFacts> = {}, image = '1200x630'): CheckFacts {
  return {
    requestedUrl: PAGE_URL,
    url: PAGE_URL,
    redirects: facts.hops?.filter(({ by }) => by === 'redirect').length ?? 0,
    tags: { plain: tagsOf(htmlOf(changed(changes))) },
    images: [imageFacts(image)],
    hops: [{ url: PAGE_URL, status: 200, by: 'caller', isDowngrade: false }],
    charset: { encoding: 'utf-8', from: 'header' },
    robotsHeader: '',
    interstitial: null,
    oembed: null,
    robots: [],
    ...facts,
  }
}

/** Findings that are not `ok`, as `severity subject: reason`. */
const findings = (checks: readonly TagCheck[]) =>
  checks
    .filter(({ severity }) => severity !== 'ok')
    .map(({ severity, subject, reason }) => `${severity} ${subject}: ${reason}`)

test('a good page has only passed checks', () => {
  const checks = checksOf(factsFor([]))
  expect(findings(checks)).toEqual([])
  expect(checks.map(({ subject, reason }) => `${subject}: ${reason}`)).toEqual([
    'Delivery: Crawlers get the page directly, without scripts, challenges, sign-in pages or redirects.',
    'Title: 15 characters',
    'Description: 18 characters',
    'twitter:card: summary_large_image',
    'og:image: 1200 × 630, 1000 bytes, image/jpeg',
    'URL: og:url and the canonical link are the same.',
  ])
})

const a = (length: number) => 'a'.repeat(length)

describe('texts', () => {
  test.each<[name: string, changes: string[], expected: string[]]>([
    ['no title', ['-<title>', '-og:title'], ['error Title: The page has no title, so most apps show no card.']],
    ['no <title>', ['-<title>'], ['warning <title>: Google and browser tabs show <title>, which is missing.']],
    [
      'no og:title',
      ['-og:title'],
      ['warning og:title: Apps use <title> instead, which often ends in the name of the site.'],
    ],
    ['<title> of 60 characters', [`<title>=${a(60)}`], []],
    [
      '<title> of 61 characters',
      [`<title>=${a(61)}`],
      ['notice <title>: 61 characters. Google usually cuts titles after about 60.'],
    ],
    ['og:title of 70 characters', [`og:title=${a(70)}`], []],
    [
      'og:title of 71 characters',
      [`og:title=${a(71)}`],
      ['warning og:title: 71 characters. X cuts it after 70.', 'warning og:title: 71 bytes. Discord cuts it after 70.'],
    ],
    [
      'og:title of 36 characters in 72 bytes',
      [`og:title=${'é'.repeat(36)}`],
      ['warning og:title: 72 bytes. Discord cuts it after 70.'],
    ],
    [
      'a long og:title with a short twitter:title',
      [`og:title=${a(71)}`, 'twitter:title=T'],
      ['warning og:title: 71 bytes. Discord cuts it after 70.'],
    ],
    [
      'no description',
      ['-description', '-og:description'],
      ['warning Description: Cards have no text below the title, and Google generates a snippet.'],
    ],
    ['no meta description', ['-description'], ['notice description: Google reads the meta description only.']],
    [
      'no og:description',
      ['-og:description'],
      ['notice og:description: Apps that read Open Graph only, such as X, show no description.'],
    ],
    ['description of 160 characters', [`description=${a(160)}`], []],
    [
      'description of 161 characters',
      [`description=${a(161)}`],
      ['notice description: 161 characters. Google usually cuts snippets after about 160.'],
    ],
    ['og:description of 80 characters', [`og:description=${a(80)}`], []],
    [
      'og:description of 81 characters',
      [`og:description=${a(81)}`],
      ['notice og:description: 81 characters. WhatsApp shows two lines, about 80 characters.'],
    ],
    ['twitter:description of 200 characters', [`twitter:description=${a(200)}`], []],
    [
      'twitter:description of 201 characters',
      [`twitter:description=${a(201)}`],
      ['warning twitter:description: 201 characters. X cuts it after 200.'],
    ],
    [
      'two different titles',
      ['+og:title=Other'],
      ['warning og:title: The page has 2 different values. Most apps use the first one.'],
    ],
    ['the same title twice', ['+og:title=Northern lights'], []],
    [
      'no twitter:card',
      ['-twitter:card'],
      ['warning twitter:card: X shows a small card or none, and Discord and Telegram show a small image.'],
    ],
    ['an unknown twitter:card', ['twitter:card=large'], ['error twitter:card: "large" is not a card type.']],
    [
      'a twitter:card with hidden characters',
      ['twitter:card=la\u{e0068}\u{e0069}rge\u202e'],
      ['error twitter:card: "large" is not a card type.'],
    ],
    ['no og:type', ['-og:type'], ['notice og:type: Open Graph requires it: website, or article for an article.']],
    [
      'no og:site_name',
      ['-og:site_name'],
      ['notice og:site_name: Slack, Discord and Telegram show it above the title.'],
    ],
  ])('%s', (_, changes, expected) => expect(findings(checksOf(factsFor(changes)))).toEqual(expected))
})

describe('images', () => {
  const width = (size: string) => size.split(' ')[0]!.split('x')
  test.each<[name: string, image: string, expected: string[]]>([
    ['1200 × 630', '1200x630', []],
    [
      '1199 × 630',
      '1199x630',
      ['notice og:image: 1199 × 630. Below 1200 × 630 it looks blurred on high-resolution displays.'],
    ],
    [
      '600 × 315',
      '600x315',
      ['notice og:image: 600 × 315. Below 1200 × 630 it looks blurred on high-resolution displays.'],
    ],
    ['599 × 315', '599x315', ['warning og:image: 599 × 315. Facebook shows a small card below 600 × 315.']],
    ['a ratio of 2.1', '1470x700', []],
    ['a ratio over 2.1', '1471x700', ['notice og:image: Its aspect ratio is 2.10:1. Many apps crop it to 1.91:1.']],
    ['a portrait', '1200x1600', ['notice og:image: Its aspect ratio is 0.75:1. Many apps crop it to 1.91:1.']],
    ['600 KB', '1200x630 614400', []],
    ['more than 600 KB', '1200x630 614401', ['warning og:image: 600 KB. WhatsApp may show a small card over 600 KB.']],
    [
      'more than 5 MB',
      '1200x630 5452595',
      [
        'error og:image: Not shown by X, LinkedIn: 5.2 MB, over 5 MB.',
        'error og:image: Not shown by Signal: 5.2 MB, over 1 MB.',
        'warning og:image: 5.2 MB. WhatsApp may show a small card over 600 KB.',
      ],
    ],
    [
      'AVIF',
      '1200x630 1000 image/avif',
      ['error og:image: Not shown by X, Signal, Mastodon: image/avif is not supported.'],
    ],
    ['a failed image', '!HTTP 404', ['error og:image: HTTP 404.']],
    ['no image', '!not an image: text/html', ['error og:image: not an image: text/html.']],
  ])('%s', (_, image, expected) => {
    const [w, h] = width(image)
    const declared = image.startsWith('!') ? [] : [`og:image:width=${w}`, `og:image:height=${h}`]
    expect(findings(checksOf(factsFor(declared, {}, image)))).toEqual(expected)
  })

  test.each<[name: string, changes: string[], expected: string[]]>([
    ['no image', ['-og:image'], ['warning og:image: Cards have no image.']],
    [
      'no og:image but twitter:image',
      ['-og:image', 'twitter:image=https://www.example.com/a.jpg'],
      ['warning og:image: Facebook, LinkedIn, WhatsApp, Bluesky and Mastodon do not read twitter:image.'],
    ],
    [
      'a relative address',
      ['og:image=/a.jpg'],
      ['warning og:image: "/a.jpg" is not absolute, and some crawlers do not resolve it.'],
    ],
    [
      'http',
      ['og:image=http://www.example.com/b.jpg'],
      ['warning og:image: It is loaded over http, and apps that show pages over https may block it.'],
    ],
    ...['width', 'height'].map((side): [string, string[], string[]] => [
      `no declared ${side}`,
      [`-og:image:${side}`],
      ['notice og:image:width: Facebook shows no image to the first person who shares the link.'],
    ]),
    [
      'another declared size',
      ['og:image:width=1000'],
      ['warning og:image:width: Declared as 1000 × 630, but it is 1200 × 630.'],
    ],
    [
      'no alternative text',
      ['-og:image:alt'],
      ['notice og:image:alt: People who cannot see the image get no description of it.'],
    ],
  ])('%s', (_, changes, expected) => expect(findings(checksOf(factsFor(changes)))).toEqual(expected))
})

describe('addresses', () => {
  test.each<[name: string, changes: string[], expected: string[]]>([
    [
      'no canonical link',
      ['-link canonical'],
      ['notice canonical: Search engines may list the page under several URLs.'],
    ],
    ['no og:url', ['-og:url'], ['notice og:url: Open Graph requires it, and WhatsApp may show no card without it.']],
    [
      'different',
      ['og:url=https://www.example.com/other'],
      [
        'warning og:url: It is https://www.example.com/other, but the canonical link is https://www.example.com/lights.',
      ],
    ],
    ['the same, written differently', ['og:url=/lights'], []],
    [
      'two canonical links',
      ['+link canonical=/other'],
      ['error canonical: The page has 2 different canonical links, so search engines may ignore them.'],
    ],
    [
      'another host',
      ['link canonical=https://b.example/', 'og:url=https://b.example/'],
      ['warning canonical: Its host is b.example. Facebook shows the card of that URL instead.'],
    ],
  ])('%s', (_, changes, expected) => {
    const checks = checksOf(factsFor(changes))
    expect(findings(checks)).toEqual(expected)
    expect(checks.filter(({ severity, fix }) => severity !== 'ok' && fix === '')).toEqual([])
  })
})

describe('delivery', () => {
  const hop = (by: CheckFacts['hops'][number]['by'], isDowngrade = false) => ({
    url: PAGE_URL,
    status: 301,
    by,
    isDowngrade,
  })
  const redirects = (count: number) =>
    [hop('caller'), ...Array.from({ length: count }, () => hop('redirect'))].map((h, i) => ({
      ...h,
      status: i === count ? 200 : 301,
    }))

  test.each<[name: string, changes: string[], facts: Partial<CheckFacts>, expected: string[]]>([
    ['one redirect', [], { hops: redirects(1) }, ['notice Redirects: 1 redirect. Each delays the card.']],
    ['five redirects', [], { hops: redirects(5) }, ['notice Redirects: 5 redirects. Each delays the card.']],
    ['six redirects', [], { hops: redirects(6) }, ['error Redirects: 6 redirects. Discord follows 5.']],
    [
      'a refresh',
      [],
      { hops: [hop('caller'), { ...hop('refresh'), status: 200 }] },
      ['warning Refresh: The page redirects with a meta refresh or a script, which most crawlers do not follow.'],
    ],
    [
      'a downgrade',
      [],
      { hops: [hop('caller'), { ...hop('redirect', true), status: 200 }] },
      ['warning https: A redirect leads from https to http.', 'notice Redirects: 1 redirect. Each delays the card.'],
    ],
    ['status 399', [], { hops: [{ ...hop('caller'), status: 399 }] }, []],
    ['status 401', [], { hops: [{ ...hop('caller'), status: 401 }] }, ['error Status: The response is HTTP 401.']],
    [
      'a challenge',
      [],
      { interstitial: 'cloudflare' },
      ['error Access: Crawlers get a bot challenge instead of the page.'],
    ],
    [
      'a consent page',
      [],
      { interstitial: 'consent' },
      ['error Access: Crawlers get a consent page instead of the page.'],
    ],
    [
      'a login page instead of the page',
      [],
      { interstitial: 'login' },
      ['error Access: Crawlers get a login page instead of the page.'],
    ],
    [
      'a sign-in page',
      [],
      { url: 'https://www.example.com/users/sign_in?to=/lights' },
      ['error Sign-in: The link leads to /users/sign_in, which looks like a sign-in page.'],
    ],
    ['a page about signs', [], { url: 'https://www.example.com/signing-songs' }, []],
    [
      'a requested sign-in page',
      [],
      { requestedUrl: 'https://www.example.com/login', url: 'https://www.example.com/login/' },
      [],
    ],
    ['http', [], { url: 'http://www.example.com/lights' }, ['warning https: The page is not encrypted.']],
    ['encoding in the first 1,024 bytes', [], { charset: { encoding: 'utf-8', from: 'meta' } }, []],
    [
      'no encoding',
      [],
      { charset: { encoding: 'utf-8', from: 'valid utf-8' } },
      ['warning charset: The encoding is not declared, so some apps may show wrong characters.'],
    ],
    [
      'noindex',
      ['robots=noindex, follow'],
      {},
      ['warning robots: noindex: search engines do not list the page. Most apps still show cards.'],
    ],
    [
      'noindex in the header',
      [],
      { robotsHeader: 'googlebot: noindex' },
      ['warning robots: noindex: search engines do not list the page. Most apps still show cards.'],
    ],
    [
      'noindex in the second tag',
      ['robots=index', '+robots=none'],
      {},
      ['warning robots: noindex: search engines do not list the page. Most apps still show cards.'],
    ],
    ['index', ['robots=index, max-image-preview:large'], { robotsHeader: 'noarchive' }, []],
    ['no large images', ['robots=max-image-preview: none'], { robotsHeader: 'max-image-preview:none' }, []],
    ['noindex for another crawler', [], { robotsHeader: 'otherbot: noindex' }, []],
    ['nosnippet', ['robots=nosnippet'], {}, ['notice robots: nosnippet: Google shows no description.']],
  ])('%s', (_, changes, facts, expected) => expect(findings(checksOf(factsFor(changes, facts)))).toEqual(expected))

  test.each([
    ['ends within', 0, []],
    ['is after it', 1, ['error Position: twitter:card: after the first 32 KB, which is all that Slack reads.']],
  ])('a tag that %s the first 32 KB', (_, more, expected) => {
    const html = htmlOf(GOOD)
    const tag = html.slice(0, html.lastIndexOf('summary_large_image'))
    const filler = `<!--${' '.repeat(32 * 1024 - tag.length - 8 + more)}-->\n`
    const cut = html.lastIndexOf('<meta')
    const bytes = new TextEncoder().encode(html.slice(0, cut) + filler + html.slice(cut))
    const plain = listPageTags({ bytes, encoding: 'utf-8', url: new URL(PAGE_URL) })
    expect(findings(checksOf(factsFor([], { tags: { plain } })))).toEqual(expected)
  })

  test('an encoding that is declared late', () => {
    const html = `<!--${' '.repeat(2_048)}--><meta charset="utf-8">${htmlOf(GOOD)}`
    const facts = factsFor([], { tags: { plain: tagsOf(html) }, charset: { encoding: 'utf-8', from: 'valid utf-8' } })
    expect(findings(checksOf(facts))).toEqual([
      'warning charset: The encoding is declared 2 KB into the page. Browsers look at the first 1024 bytes.',
    ])
  })

  test('tags that only scripts add', () => {
    const tags = { plain: tagsOf(htmlOf(changed(['-og:title', '-<title>']))), rendered: tagsOf(htmlOf(GOOD)) }
    expect(findings(checksOf(factsFor([], { tags })))[0]).toBe(
      "error Scripts: Scripts add og:title, <title>. Of the crawlers of these apps, only Google's runs scripts.",
    )
    expect(findings(checksOf(factsFor([], { tags: { plain: tags.rendered, rendered: tags.rendered } })))).toEqual([])
  })
})

test('the most severe comes first, and every finding has a fix', () => {
  const checks = checksOf(factsFor(['-og:title', '-<title>', '-og:image', '-og:type']))
  expect(checks.map(({ severity }) => severity)).toEqual(['error', 'warning', 'notice', 'ok', 'ok', 'ok', 'ok'])
  for (const { severity, fix } of checks) expect(fix !== '').toBe(severity !== 'ok')
})

describe('robots.txt', () => {
  const robots = (disallowed: string[], url = PAGE_URL, problem = '') => ({
    robots: [{ url, file: 'https://www.example.com/robots.txt', problem, disallowed }],
  })
  test.each<[name: string, facts: Partial<CheckFacts>, expected: string[]]>([
    ['everything is allowed', robots([]), []],
    [
      'apps',
      robots(['x', 'facebook']),
      [
        'error robots.txt: https://www.example.com/robots.txt disallows the page for the crawlers of X, Facebook, so they show no card.',
      ],
    ],
    [
      'Google',
      robots(['google']),
      [
        'warning robots.txt: https://www.example.com/robots.txt disallows Google, so the page is not listed, or is listed without a description.',
      ],
    ],
    [
      'an image',
      robots(['x', 'google'], 'https://www.example.com/a.jpg'),
      [
        'error robots.txt: https://www.example.com/robots.txt disallows https://www.example.com/a.jpg for the crawlers of X, so they show no image.',
      ],
    ],
    [
      'a file that cannot be read',
      robots([], PAGE_URL, 'HTTP 503'),
      [
        'warning robots.txt: https://www.example.com/robots.txt: HTTP 503. Crawlers that obey it may not request anything until they can read it.',
      ],
    ],
  ])('%s', (_, facts, expected) => expect(findings(checksOf(factsFor([], facts)))).toEqual(expected))

  test('of a link that redirects to the page', () => {
    const requestedUrl = 'https://short.example/x'
    expect(findings(checksOf(factsFor([], { requestedUrl, ...robots(['x'], requestedUrl) })))).toEqual([
      'error robots.txt: https://www.example.com/robots.txt disallows the page for the crawlers of X, so they show no card.',
    ])
  })

  test('of an image that could not be loaded says nothing more', () => {
    const facts = robots(['x'], 'https://www.example.com/a.jpg', 'address not allowed')
    expect(findings(checksOf(factsFor([], facts, '!address not allowed')))).toEqual([
      'error og:image: address not allowed.',
    ])
  })

  test('the fix names the crawlers and the path', () => {
    const [check] = checksOf(factsFor([], robots(['x', 'linkedin'])))
    expect(check!.fix).toBe('Add "Allow: /lights" for Twitterbot, LinkedInBot.')
  })
})

test('an oEmbed endpoint that does not work', () => {
  const facts = (problem: string) => ({ oembed: unknownOembed('https://www.example.com/oembed', problem) })
  expect(findings(checksOf(factsFor([], facts(''))))).toEqual([])
  expect(findings(checksOf(factsFor([], facts('HTTP 404'))))).toEqual([
    'warning oEmbed: The declared endpoint cannot be used: HTTP 404. Mastodon and Discord fall back to the tags.',
  ])
})

test.each(['javascript:alert(1)', 'data:text/html,x', 'mailto:jo@example.com'])(
  '%s is not the URL of a page',
  (address) => {
    expect(findings(checksOf(factsFor([`link canonical=${address}`, `og:url=${address}`])))).toEqual([
      `error canonical: "${address}" is not an http(s) URL.`,
      `error og:url: "${address}" is not an http(s) URL.`,
    ])
  },
)

test.each(['data:image/png;base64,AAAA', 'javascript:alert(1)', 'https://'])(
  '%s is no address of an image',
  (value) => {
    expect(findings(checksOf(factsFor([`og:image=${value}`])))[0]).toBe(
      `error og:image: "${value}" is not an http(s) address, so no app loads it.`,
    )
  },
)

test.each([
  ['HTTP 404', 'Make the URL return an image with status 200 to every client.'],
  ['timed out', 'Make the URL return an image with status 200 to every client.'],
  ['5.2 MB, over 5 MB', 'Use a PNG or JPEG of 1200 × 630, up to 600 KB.'],
  ['9000 × 9000, over 64 million pixels', 'Use a PNG or JPEG of 1200 × 630, up to 600 KB.'],
  ['not an image: text/html', 'Make the URL return a PNG or JPEG.'],
  ['empty response', 'Make the URL return a PNG or JPEG.'],
])('an image with the problem %p has a fix', (problem, fix) => {
  expect(checksOf(factsFor([], {}, `!${problem}`))[0]).toMatchObject({ severity: 'error', reason: `${problem}.`, fix })
})

test('what was not requested because of a limit of the user is not a problem of the site', () => {
  const facts = {
    oembed: unknownOembed('https://www.example.com/oembed', LIMIT_REACHED),
    robots: [{ url: PAGE_URL, file: 'https://www.example.com/robots.txt', problem: LIMIT_REACHED, disallowed: [] }],
  }
  expect(findings(checksOf(factsFor([], facts, `!${LIMIT_REACHED}`)))).toEqual([
    'notice og:image: It was not checked, because you requested too many images in a short time.',
  ])
})

test('a long card type is quoted in part', () => {
  const [check] = checksOf(factsFor([`twitter:card=${a(2_000)}`]))
  expect(check!.reason).toBe(`"${a(59)}…" is not a card type.`)
})

test('an image whose URL is too long to be requested', () => {
  const facts = factsFor([`og:image=https://www.example.com/${a(2_048)}`])
  expect(findings(checksOf(facts))).toContain(
    'warning og:image: Its URL is longer than 2048 characters, so it was not requested.',
  )
})

describe('corrected tags', () => {
  test('of a good page are its own tags', () => {
    const again = tagsOf(correctedTags(factsFor([])))
    expect(findings(checksOf(factsFor([], { tags: { plain: again } })))).toEqual([])
  })

  test('have one value, absolute addresses, the real size of the image, and comments for what is missing', () => {
    const changes = [
      'og:title=A "B" & <C>',
      '+description=Other',
      'og:image=/a.jpg',
      'og:image:width=5',
      '-og:site_name',
      '-twitter:card',
      'og:url=/x',
      'twitter:site=@example',
    ]
    const html = correctedTags(factsFor(changes, {}, '299x157'))
    expect(html.split('\n')).toEqual([
      '<title>Northern lights</title>',
      '<meta name="description" content="Where to see them.">',
      '<link rel="canonical" href="https://www.example.com/lights">',
      '<meta property="og:type" content="article">',
      '<!-- og:site_name: the name of the site -->',
      '<meta property="og:title" content="A &quot;B&quot; &amp; &lt;C>">',
      '<meta property="og:description" content="Where to see them.">',
      '<meta property="og:url" content="https://www.example.com/lights">',
      '<meta property="og:image" content="https://www.example.com/a.jpg">',
      '<meta property="og:image:width" content="299">',
      '<meta property="og:image:height" content="157">',
      '<meta name="twitter:card" content="summary">',
      '<meta property="og:image:alt" content="A green sky">',
      '<meta name="twitter:site" content="@example">',
    ])
  })

  test.each<[name: string, changes: string[]]>([
    ['texts for X', ['twitter:title=For X', 'twitter:description=Also for X']],
    ['an image for X', ['twitter:image=https://www.example.com/x.jpg']],
    ['several tags of an article', ['article:tag=a', '+article:tag=b', 'og:locale:alternate=de', 'author=Jo']],
    ['a player', ['twitter:card=player', 'twitter:player=https://www.example.com/p', 'twitter:player:width=1']],
    ['an oEmbed endpoint', ['link alternate" type="application/json+oembed=https://www.example.com/oembed']],
    ['robots', ['robots=noindex']],
  ])('keep %s, so that no card changes', (_, changes) => {
    const facts = factsFor(changes)
    const again = { plain: tagsOf(correctedTags(facts)) }
    const cards = (tags: CheckFacts['tags']) =>
      cardsOf({
        requestedUrl: PAGE_URL,
        url: PAGE_URL,
        redirects: 0,
        tags,
        images: facts.images,
        favicon: null,
        oembed: null,
        robots: [],
      })
    expect(cards(again)).toEqual(cards(facts.tags))
    const pairs = (tags: CheckFacts['tags']) => tags.plain.tags.map((tag) => `${keyOf(tag)}=${tag.value}`).toSorted()
    expect(pairs(again)).toEqual(pairs(facts.tags))
  })

  test('keep all images', () => {
    const html = correctedTags(factsFor(['+og:image=/b.jpg']))
    expect(html).toContain('<meta property="og:image" content="https://www.example.com/b.jpg">')
  })

  test('replace invalid values', () => {
    const changes = ['twitter:card=large', 'link canonical=javascript:alert(1)', 'og:url=data:,x', 'twitter:url=x']
    const facts = factsFor(changes, { charset: { encoding: 'utf-8', from: 'valid utf-8' } })
    const html = correctedTags(facts)
    expect(html).toStartWith('<meta charset="utf-8">')
    const checks = checksOf(factsFor([], { tags: { plain: tagsOf(html) } }))
    expect(findings(checks)).toEqual([])
    expect(html).not.toMatch(/javascript|data:|twitter:url/)
  })

  test.each<[CheckFacts['charset'], boolean]>([
    [null, false],
    [{ encoding: 'utf-8', from: 'mark' }, false],
    [{ encoding: 'utf-8', from: 'header' }, false],
    [{ encoding: 'utf-8', from: 'meta' }, false],
    [{ encoding: 'utf-8', from: 'valid utf-8' }, true],
    [{ encoding: 'windows-1252', from: 'valid utf-8' }, false],
  ])('declare the encoding %j: %p', (charset, isAdded) => {
    expect(correctedTags(factsFor([], { charset })).startsWith('<meta charset="utf-8">')).toBe(isAdded)
  })

  test('include those that scripts add', () => {
    const tags = { plain: tagsOf(''), rendered: tagsOf(htmlOf(GOOD)) }
    expect(correctedTags(factsFor([], { tags }))).toContain('<meta property="og:title" content="Northern lights">')
  })

  test('have no address that was truncated', () => {
    const long = `https://www.example.com/${a(2_048)}`
    const html = correctedTags(factsFor([`link canonical=${long}`, `og:url=${long}`]))
    expect(html).toContain('<link rel="canonical" href="https://www.example.com/lights">')
  })

  test('leave out tags without a value', () => {
    expect(correctedTags(factsFor(['article:section=', 'og:locale=']))).not.toContain('content=""')
  })

  test('say that an image needs a description', () => {
    const html = correctedTags(factsFor(['-og:image:alt']))
    expect(html).toContain('<!-- og:image:alt: what the image shows -->')
  })

  test('leave out an image that failed', () => {
    expect(correctedTags(factsFor([], {}, '!HTTP 404'))).toContain(
      '<!-- og:image: an image of 1200 × 630, up to 600 KB -->',
    )
  })
})
