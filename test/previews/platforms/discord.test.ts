import { describe, expect, test } from 'bun:test'

import type { OembedFacts } from '../../../src/previews/rules/oembed-facts.ts'
import type { Card } from '../../../src/previews/rules/card.ts'
import type { CardInput } from '../../../src/previews/rules/card-content.ts'
import { imageUrlsOf, oembedUrlOf } from '../../../src/previews/rules/preview.ts'
import { cardFor, htmlOf, IMAGE_URL, imageFacts, PAGE_URL, tagsOf } from '../preview-page.ts'

// The sentences of https://docs.discord.com/developers/link-previews/overview, by its sections.

const TITLE = 'og:title=T'
const IMAGE = 'og:image=/a.jpg'
const HTML = ['<title>=HTML', 'description=Meta']
const VIDEO = ['og:type=video.other', 'og:video=https://www.example.com/v.mp4', IMAGE, TITLE, 'og:description=D']
const longUrl = (length: number) => `https://www.example.com/${'a'.repeat(length - 24)}`

const OEMBED: OembedFacts = {
  url: 'https://www.example.com/oembed',
  problem: '',
  type: 'link',
  title: 'From oEmbed',
  author: 'Jo',
  provider: 'Example',
  image: 'https://www.example.com/photo.jpg',
  thumbnail: 'https://www.example.com/thumbnail.jpg',
}

/** The parts of a card that the cases name. */
type Expected = Partial<Omit<Card, 'image' | 'used'>> & { image?: string | null; used?: Partial<Card['used']> }

type Case = [sentence: string, tags: string[], expected: Expected, facts?: Partial<CardInput>]

const TAGS: Case[] = [
  [
    'the key comes from name if present',
    ['<meta name="description" property="og:title" content="T">'],
    { layout: 'none' },
  ],
  ['otherwise from property', [TITLE], { title: 'T', used: { title: 'og:title' } }],
  ['key names are case-sensitive', ['OG:title=T'], { layout: 'none' }],
  ['the first title wins', ['og:title=A', 'og:title=B', 'twitter:title=C'], { title: 'A' }],
  ['also if it is twitter:title', ['twitter:title=C', 'og:title=A'], { title: 'C' }],
  ['unless it is empty', ['og:title=', 'twitter:title=C'], { title: 'C' }],
  ['the first description wins', ['twitter:description=C', 'og:description=A'], { description: 'C' }],
  ['the first site name wins', [TITLE, 'og:site_name=A', 'og:site_name=B'], { source: 'A' }],
  ['the site name is above the title, never the host', [TITLE], { source: '' }],
  ['the last layout tag wins', [TITLE, IMAGE, 'twitter:card=summary_large_image', 'og:type=rich'], { layout: 'right' }],
  ['in the order of the page', [TITLE, IMAGE, 'og:type=rich', 'twitter:card=summary_large_image'], { layout: 'below' }],
  [
    'other types are no layout',
    [TITLE, IMAGE, 'twitter:card=summary_large_image', 'og:type=article'],
    { layout: 'below' },
  ],
  ['<title> and description as a pair', HTML, { title: 'HTML', description: 'Meta' }],
  ['<title> alone is not used', ['<title>=HTML'], { layout: 'none' }],
  ['a description alone is not used', ['description=Meta'], { layout: 'none' }],
  ['the pair is not used with og:title', [...HTML, TITLE], { title: 'T', description: '' }],
  ['nor with a twitter:description', [...HTML, 'twitter:description=D'], { title: '', description: 'D' }],
  [
    'og:image:url, secure_url, twitter:image, twitter:image:src',
    [TITLE, 'twitter:image:src=/a.jpg'],
    { image: IMAGE_URL },
  ],
  [
    'JSON-LD VideoObject',
    [
      'json-ld={"@type":"VideoObject","name":"V","description":"VD","thumbnailUrl":"/a.jpg","uploadDate":"2026-09-15T12:00:00Z"}',
    ],
    { title: 'V', description: 'VD', image: IMAGE_URL, date: '2026-09-15T12:00:00Z' },
  ],
  [
    'a VideoObject below the top level is not read',
    ['json-ld={"@graph":[{"@type":"VideoObject","name":"V"}]}'],
    { layout: 'none' },
  ],
]

const LAYOUTS: Case[] = [
  ['text with a small image by default', [TITLE, IMAGE], { layout: 'right' }],
  ['a large image with summary_large_image', [TITLE, IMAGE, 'twitter:card=summary_large_image'], { layout: 'below' }],
  ['the image alone with twitter:card=photo', [TITLE, IMAGE, 'twitter:card=photo'], { layout: 'alone' }],
  ['instapp:photo is a layout too', [TITLE, IMAGE, 'og:type=instapp:photo'], { layout: 'alone' }],
  ['a player, without a description', VIDEO, { isVideo: true, layout: 'below', title: 'T', description: '' }],
  ['a small thumbnail with og:type=rich', [TITLE, IMAGE, 'og:type=rich'], { layout: 'right' }],
  ['HTML appears literally in the description', [TITLE, 'og:description=<b>D</b>'], { description: '<b>D</b>' }],
]

const IMAGES: Case[] = [
  ...['png', 'gif', 'jpeg', 'webp', 'avif'].map((type): Case => [
    `${type} is supported`,
    [TITLE, IMAGE],
    { image: IMAGE_URL },
    { images: [imageFacts(`1200x630 1000 image/${type}`)] },
  ]),
  [
    'other types are not',
    [TITLE, IMAGE],
    { image: null, imageProblem: 'og:image: image/bmp is not supported' },
    { images: [imageFacts('1200x630 1000 image/bmp')] },
  ],
  ['og:image:type must be supported', [TITLE, IMAGE, 'og:image:type=image/svg+xml'], { image: null }],
  [
    'og:image:type belongs to the image above it',
    [TITLE, IMAGE, 'twitter:image=/b.svg', 'og:image:type=image/svg+xml'],
    { image: IMAGE_URL },
  ],
  [
    'og:image:type is not read for og:image:url',
    [TITLE, 'og:image:url=/a.jpg', 'og:image:type=image/svg+xml'],
    { image: IMAGE_URL },
  ],
  ['relative URLs start with /', [TITLE, 'og:image=/a.jpg'], { image: IMAGE_URL }],
  [
    'others are not used',
    [TITLE, 'og:image=a.jpg'],
    { image: null, imageProblem: 'og:image: a relative URL must start with /' },
  ],
  ['two images are a gallery', [TITLE, IMAGE, 'og:image=/b.jpg'], { layout: 'below' }],
  ['og:image and twitter:image are not', [TITLE, IMAGE, 'twitter:image=/b.jpg'], { layout: 'right', moreImages: [] }],
]

const VIDEOS: Case[] = [
  ['og:type=video', ['og:type=video', ...VIDEO.slice(1)], { isVideo: true }],
  ['twitter:card=player', ['twitter:card=player', ...VIDEO.slice(1)], { isVideo: true }],
  ['not without a layout', VIDEO.slice(1), { isVideo: false, description: 'D' }],
  ['not without og:image', VIDEO.filter((tag) => tag !== IMAGE), { isVideo: false, layout: 'text' }],
  ['not without a video', VIDEO.filter((tag) => !tag.startsWith('og:video')), { isVideo: false, layout: 'right' }],
  ['not over http', [...VIDEO.slice(2), 'og:type=video', 'og:video=http://www.example.com/v.mp4'], { isVideo: false }],
  ['webm', [...VIDEO.slice(2), 'og:type=video', 'og:video=https://www.example.com/v.webm'], { isVideo: true }],
  ['mov', [...VIDEO.slice(2), 'og:type=video', 'og:video=https://www.example.com/v.mov?a'], { isVideo: true }],
  ...['og:video', 'og:video:url', 'og:video:secure_url', 'twitter:player:stream'].map((name): Case => {
    const tags = [...VIDEO.slice(2), 'og:type=video', `${name}=https://www.example.com/v.mp4`]
    return [name, tags, { isVideo: true }]
  }),
  [
    'not other files',
    [...VIDEO.slice(2), 'og:type=video', 'og:video=https://www.example.com/v.ogv'],
    { isVideo: false },
  ],
  ['og:video:type', [...VIDEO, 'og:video:type=video/quicktime'], { isVideo: true }],
  ['not other types', [...VIDEO, 'og:video:type=text/html'], { isVideo: false }],
]

const withOembed = (facts: Partial<OembedFacts>) => ({ oembed: { ...OEMBED, ...facts } })
const OEMBEDS: Case[] = [
  ['title only if there is none', [IMAGE], { title: 'From oEmbed' }, withOembed({})],
  ['not with an Open Graph title', [TITLE], { title: 'T' }, withOembed({})],
  ['but before the pair of HTML', HTML, { title: 'From oEmbed', description: 'Meta' }, withOembed({})],
  ['thumbnail only if there is no image', [TITLE], { image: OEMBED.thumbnail }, withOembed({})],
  ['not with an Open Graph image', [TITLE, IMAGE], { image: IMAGE_URL }, withOembed({})],
  ['not without its width and height', [TITLE], { image: null }, withOembed({ thumbnail: null })],
  ['the author', [TITLE], { author: 'Jo' }, withOembed({})],
  ['there is no other way to an author', [TITLE, 'og:author=Jo', 'author=Jo'], { author: '' }],
  ['the provider overrides og:site_name', [TITLE, 'og:site_name=S'], { source: 'Example' }, withOembed({})],
  ['type only if no layout is set', [TITLE, IMAGE], { layout: 'alone' }, withOembed({ type: 'photo' })],
  [
    'not with twitter:card',
    [TITLE, IMAGE, 'twitter:card=summary_large_image'],
    { layout: 'below' },
    withOembed({ type: 'photo' }),
  ],
  ['url is ignored', [TITLE], { image: null }, withOembed({ type: 'photo', thumbnail: null })],
  ['errors are ignored', [TITLE], { title: 'T', author: '', source: '' }, withOembed({ problem: 'HTTP 404' })],
]

const COLORS: Case[] = [
  ['six digits', [TITLE, 'theme-color=#5865F2'], { accent: '#5865f2' }],
  ['eight digits', [TITLE, 'theme-color=#5865F280'], { accent: '#5865f280' }],
  ['not three digits', [TITLE, 'theme-color=#f0A'], { accent: '' }],
  ['not seven digits', [TITLE, 'theme-color=#5865F21'], { accent: '' }],
  ['no names', [TITLE, 'theme-color=red'], { accent: '' }],
  ['the last color wins', [TITLE, 'theme-color=#111111', 'theme-color=#222222'], { accent: '#222222' }],
  ['og:pubdate', [TITLE, 'og:pubdate=2026-09-15T12:00:00Z'], { date: '2026-09-15T12:00:00Z' }],
  ['pubdate', [TITLE, 'pubdate=2026-09-15T12:00:00+02:00'], { date: '2026-09-15T12:00:00+02:00' }],
  ['iso-8601-publish-date', [TITLE, 'iso-8601-publish-date=2026-09-15T12:00:00Z'], { date: '2026-09-15T12:00:00Z' }],
  ['not without a time', [TITLE, 'og:pubdate=2026-09-15'], { date: '' }],
  ['not without an offset', [TITLE, 'og:pubdate=2026-09-15T12:00:00'], { date: '' }],
  [
    'the last date wins',
    [TITLE, 'pubdate=2026-09-15T12:00:00Z', 'og:pubdate=2026-09-16T12:00:00Z'],
    { date: '2026-09-16T12:00:00Z' },
  ],
]

const NONE = { layout: 'none' } as const
const LIMITS: Case[] = [
  ['a title of 70 bytes', [`og:title=${'é'.repeat(35)}`], { title: 'é'.repeat(35) }],
  ['a title of 71 bytes', [`og:title=${'é'.repeat(35)}a`], { title: `${'é'.repeat(33)}…` }],
  ['a description of 350 bytes', [`og:description=${'a'.repeat(350)}`], { description: 'a'.repeat(350) }],
  ['a description of 351 bytes', [`og:description=${'a'.repeat(351)}`], { description: `${'a'.repeat(347)}…` }],
  ['og:site_name of 256 characters', [TITLE, `og:site_name=${'a'.repeat(256)}`], { layout: 'text' }],
  [
    'og:site_name of 257 characters',
    [TITLE, `og:site_name=${'a'.repeat(257)}`],
    { ...NONE, problem: 'og:site_name: over 256 characters' },
  ],
  ['alt of 4,096 characters', [TITLE, `og:image:alt=${'a'.repeat(4_096)}`], { layout: 'text' }],
  ['alt of 4,097 characters', [TITLE, `og:image:alt=${'a'.repeat(4_097)}`], NONE],
  ['a URL of 2,048 characters', [TITLE, `og:image=${longUrl(2_048)}`], { layout: 'right' }],
  ['a URL of 2,049 characters', [TITLE, `og:image=${longUrl(2_049)}`], NONE],
  ['a link of 2,049 characters', [TITLE], NONE, { requestedUrl: longUrl(2_049) }],
  ['five redirects', [TITLE], { layout: 'text' }, { redirects: 5 }],
  ['six redirects', [TITLE], { ...NONE, problem: '6 redirects, over 5' }, { redirects: 6 }],
]

describe.each([
  ['tags', TAGS],
  ['layouts', LAYOUTS],
  ['images', IMAGES],
  ['video', VIDEOS],
  ['oEmbed', OEMBEDS],
  ['color and date', COLORS],
  ['limits', LIMITS],
])('Discord: %s', (_, cases) => {
  test.each(cases.map(([sentence, tags, expected, facts = {}]) => [sentence, tags, expected, facts] as const))(
    '%s',
    (...[, tags, expected, facts]) => {
      const { image, ...card } = cardFor('discord', tags, '', facts)
      expect({ ...card, image: image?.url ?? null }).toMatchObject(expected)
    },
  )
})

test('Discord: at most four images of a gallery; all are requested up to the limit of a page', () => {
  const tags = [TITLE, ...['a', 'b', 'c', 'd', 'e'].map((name) => `og:image=/${name}.jpg`)]
  const { image, moreImages } = cardFor('discord', tags)
  const urls = ['a', 'b', 'c', 'd'].map((name) => `https://www.example.com/${name}.jpg`)
  expect([image!, ...moreImages].map(({ url }) => url)).toEqual(urls)
  const requested = imageUrlsOf({ tags: { plain: tagsOf(htmlOf(tags)) }, favicon: null, oembed: null })
  expect(requested).toEqual([...urls, 'https://www.example.com/e.jpg'])
})

test('Discord: a gallery does not have images that fail', () => {
  const images = [imageFacts('!HTTP 404'), imageFacts('1200x630', 'https://www.example.com/b.jpg')]
  const { image, moreImages } = cardFor('discord', [TITLE, IMAGE, 'og:image=/b.jpg', 'og:image=/c.jpg'], '', { images })
  expect([image!, ...moreImages].map(({ url }) => url.slice(-5))).toEqual(['b.jpg', 'c.jpg'])
})

test('Discord: the first oEmbed link is used, and needs no rel', () => {
  const link = (name: string) => `<link type="application/json+oembed" href="/${name}">`
  expect(oembedUrlOf(tagsOf(htmlOf([link('a'), link('b')])))).toBe(new URL('/a', PAGE_URL).href)
})
