import { describe, expect, test } from 'bun:test'

import { cardOf } from '../../../src/previews/rules/card.ts'
import { type FieldName, fieldsOf, withFields } from '../../../src/previews/rules/fields.ts'
import { PLATFORMS } from '../../../src/previews/platforms/platforms.ts'
import { htmlOf, IMAGE_URL, imageFacts, PAGE_URL, tagsOf } from '../preview-page.ts'

describe('a changed field', () => {
  test.each<[name: string, tags: string[], changes: Partial<Record<FieldName, string>>, edited: string[]]>([
    ['of no tag is added first', ['<title>=T'], { site_name: 'S' }, ['og:site_name=S', '<title>=T']],
    ['is written without line breaks', ['og:title=T'], { title: ' a\r\n b ' }, ['og:title=a b']],
    [
      'changes all tags with its value',
      ['<title>=T', 'og:title=T', 'twitter:title=T'],
      { title: 'N' },
      ['<title>=N', 'og:title=N', 'twitter:title=N'],
    ],
    [
      'leaves tags with other values',
      ['<title>=T | Site', 'og:title=T', 'twitter:title=For X'],
      { title: 'N' },
      ['<title>=T | Site', 'og:title=N', 'twitter:title=For X'],
    ],
    [
      'of another name is added beside it',
      ['twitter:description=D', 'description=D'],
      { description: 'N' },
      ['og:description=N', 'twitter:description=N', 'description=N'],
    ],
    ['that is emptied removes its tags', ['og:title=T', 'twitter:title=T', '<title>=H'], { title: '' }, ['<title>=H']],
    [
      'of an image removes the properties of the previous one',
      ['og:image=/a.jpg', 'og:image:width=9', 'og:image:alt=A', 'og:type=article'],
      { image: '/b.jpg' },
      ['og:image=/b.jpg', 'og:type=article'],
    ],
    [
      'changes one of several values',
      ['og:image=/a.jpg', 'og:image=/b.jpg'],
      { image: '/c.jpg' },
      ['og:image=/c.jpg', 'og:image=/b.jpg'],
    ],
    ['is escaped', ['og:title=T'], { title: '"><script>' }, ['og:title="><script>']],
  ])('%s', (_, tags, changes, edited) => {
    const values = ({ element, name, value }: { element: string; name: string; value: string }) => [
      element,
      name,
      value,
    ]
    expect(tagsOf(withFields(htmlOf(tags), changes)).tags.map(values)).toEqual(tagsOf(htmlOf(edited)).tags.map(values))
  })

  test('with its old value, or none at all, does not touch the HTML', () => {
    const html = '<!-- as typed -->\n<META NAME=description CONTENT="D">'
    expect(withFields(html, {})).toBe(html)
    expect(withFields(html, { description: ' D ' })).toBe(html)
  })

  test('of any length is truncated as tags are', () => {
    const [tag] = tagsOf(withFields('', { title: 'a'.repeat(5_000) })).tags
    expect(tag!.value).toHaveLength(2_048)
  })
})

describe('what apps do with', () => {
  const NAMES = PLATFORMS.map(({ name }) => name)
  const limits = (name: FieldName, tags: string[], image = '1200x630') => {
    const page = tagsOf(htmlOf(tags))
    const images = image === '' ? [] : [imageFacts(image)]
    const url = { requestedUrl: PAGE_URL, url: PAGE_URL, redirects: 0 }
    const cards = PLATFORMS.map((app) => cardOf(app, { ...url, page, images, favicon: null, oembed: null, robots: [] }))
    const { measure, uses } = fieldsOf(page, cards, images)[name]
    return { measure, lines: uses.map(({ apps, text, isOver }) => `${apps.join(', ')}: ${text}${isOver ? '!' : ''}`) }
  }

  test.each<[name: FieldName, tags: string[], measure: string, lines: string[]]>([
    ['title', [`og:title=${'ä'.repeat(35)}`], '35 characters', ['Discord: 70 bytes', 'X: 70 characters']],
    ['title', [`og:title=${'ä'.repeat(36)}`], '36 characters', ['Discord: cut: 72 of 70 bytes!', 'X: 70 characters']],
    [
      'title',
      ['og:title=T', '<title>=T | S'],
      '1 character',
      [
        'Google: reads <title>',
        'Bluesky: 3 lines',
        'Facebook, LinkedIn, WhatsApp, iMessage, Signal, Telegram, Teams, Mastodon, Pinterest: 2 lines',
      ],
    ],
    ['title', ['<title>=T'], '1 character', ['X, Discord: ignores <title>']],
    ['title', ['og:title=T'], '1 character', ['Slack: 200 characters', 'Bluesky: 3 lines']],
    [
      'title',
      [`og:title=${'t'.repeat(201)}`],
      '201 characters',
      ['Slack: cut: 201 of 200 characters!', 'Bluesky: cut after 3 lines!'],
    ],
    ['title', [`og:title=${'t'.repeat(160)}`], '160 characters', ['Slack: 200 characters', 'Bluesky: 3 lines']],
    ['description', ['og:description=D'], '1 character', ['Facebook, Mastodon: 1 line', 'Slack: 500 characters']],
    [
      'description',
      ['og:description=D'],
      '1 character',
      ['LinkedIn, iMessage: not shown', 'Google: ignores og:description'],
    ],
    ['site_name', [`og:site_name=${'a'.repeat(256)}`], '256 characters', ['Discord: at most 256 characters']],
    ['site_name', [`og:site_name=${'a'.repeat(257)}`], '257 characters', ['Discord: over 256 characters!']],
    ['image', [`og:image=${IMAGE_URL}`], '1200 × 630, 1000 bytes', ['Facebook: at least 200 × 200, at most 8 MB']],
    ['card', ['twitter:card=summary'], '', ['X, Slack, Discord, Telegram: size of the image']],
    ['type', [], '', ['Pinterest: article and product']],
  ])('%s %j: %s', (name, tags, measure, expected) => {
    const shown = limits(name, tags)
    expect(shown.measure).toBe(measure)
    expect(shown.lines).toEqual(expect.arrayContaining(expected))
  })

  test('an image: one that is not loaded is within the limits', () => {
    const tags = [`og:image=${IMAGE_URL}`]
    const { measure, lines } = limits('image', tags, '100x100')
    expect([measure, lines.filter((line) => line.endsWith('!'))]).toEqual([
      '100 × 100, 1000 bytes',
      ['X: 100 × 100, under 144 × 144!', 'Facebook: 100 × 100, under 200 × 200!'],
    ])
    expect(limits('image', tags, '').measure).toBe('Not loaded yet')
    expect(limits('image', tags, '').lines.filter((line) => line.endsWith('!'))).toEqual([])
    const gone = limits('image', tags, '!HTTP 404')
    const others = NAMES.filter((name) => name !== 'Google').join(', ')
    expect([gone.measure, ...gone.lines]).toEqual(['HTTP 404', `${others}: HTTP 404!`, 'Google: not shown'])
  })

  test('every app is named once', () => {
    const named = limits('title', ['og:title=T']).lines.flatMap((line) => line.split(': ')[0]!.split(', '))
    expect(named.toSorted()).toEqual(NAMES.toSorted())
  })
})
