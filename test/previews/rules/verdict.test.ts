import { expect, test } from 'bun:test'

import { PLATFORMS } from '../../../src/previews/platforms/platforms.ts'
import { verdictOf } from '../../../src/previews/rules/verdict.ts'
import { cardFor, IMAGE_URL } from '../preview-page.ts'

const LARGE = 'twitter:card=summary_large_image'
const IMAGE = `og:image=${IMAGE_URL}`
const GALLERY = ['og:image=/1.jpg', 'og:image=/2.jpg', 'og:image=/3.jpg']
const VIDEO = ['og:type=video', 'og:video=https://www.example.com/v.mp4', 'og:video:type=video/mp4']
const title = (length: number) => `og:title=${'ä'.repeat(length)}`
const description = (length: number) => `og:description=${'d'.repeat(length)}`

test.each<[name: string, app: string, tags: string[], image: string, verdict: string]>([
  ['a large image', 'facebook', [title(1), IMAGE], '1200x630', 'fits: Large image'],
  ['a small image', 'facebook', [title(1), IMAGE], '300x200', 'fits: Small image'],
  ['an image beside the text', 'slack', [title(1), IMAGE, 'twitter:card=summary'], '1200x630', 'fits: Small image'],
  ['no image', 'facebook', [title(1)], '', 'fits: Text only'],
  ['a placeholder instead of an image', 'x', [title(1), 'twitter:card=summary'], '', 'fits: Text only'],
  ['an icon instead of an image', 'imessage', [title(1)], '', 'fits: Icon'],
  ['several images', 'discord', [title(1), ...GALLERY], '', 'fits: 3 images'],
  ['a video', 'discord', [title(1), IMAGE, ...VIDEO], '1200x630', 'fits: Video'],
  ['an image without text', 'discord', [title(36), IMAGE, 'twitter:card=photo'], '1200x630', 'fits: Image only'],
  ['a search result', 'google', ['<title>=T'], '', 'fits: Search result'],
  ['an image that is not loaded', 'facebook', [title(1), IMAGE], '', 'fits: Large image'],
  ['a title within the limit', 'x', [title(70), IMAGE, LARGE], '1200x630', 'fits: Large image'],
  ['a title over the limit', 'x', [title(71), IMAGE, LARGE], '1200x630', 'cut: Large image, title cut'],
  ['a title within the limit in bytes', 'discord', [title(35)], '', 'fits: Text only'],
  ['a title over the limit in bytes', 'discord', [title(36)], '', 'cut: Text only, title cut'],
  ['both texts', 'discord', [title(36), description(351)], '', 'cut: Text only, title cut, description cut'],
  [
    'a description over the limit',
    'x',
    [title(1), description(201), 'twitter:card=summary'],
    '',
    'cut: Text only, description cut',
  ],
  ['a description that is not shown', 'x', [title(1), description(201), IMAGE, LARGE], '1200x630', 'fits: Large image'],
  ['an image that failed', 'slack', [title(1), IMAGE], '!HTTP 404', 'cut: Text only, image not shown'],
  [
    'an image under the minimum',
    'x',
    [title(71), IMAGE, LARGE],
    '100x100',
    'cut: Text only, title cut, image not shown',
  ],
  ['no tags', 'facebook', [], '', 'none: None: needs og:title or <title>'],
  ['no image for an app that needs one', 'pinterest', [title(1)], '', 'none: None: needs an image (og:image)'],
  [
    'an image that failed for an app that needs one',
    'pinterest',
    [title(1), IMAGE],
    '!HTTP 404',
    'none: None: needs an image (og:image)',
  ],
  ['no title and no card', 'x', ['<title>=T'], '', 'none: None: needs og:title and twitter:card'],
  ['no card', 'x', [title(1)], '', 'none: None: needs twitter:card'],
  ['no title', 'x', [LARGE, IMAGE], '', 'none: None: needs og:title'],
  [
    '<title> without a description',
    'discord',
    ['<title>=T'],
    '',
    'none: None: needs og:title, or <title> and description',
  ],
  ['a description without a title', 'signal', [description(1)], '', 'none: None: needs og:title or <title>'],
  ['a title of wide characters within two lines', 'whatsapp', [`og:title=${'北'.repeat(80)}`], '', 'fits: Text only'],
  [
    'a title of wide characters over two lines',
    'whatsapp',
    [`og:title=${'北'.repeat(81)}`],
    '',
    'cut: Text only, title cut',
  ],
  [
    'a page that refuses pins',
    'pinterest',
    [title(1), IMAGE, 'pinterest=nopin'],
    '1200x630',
    'none: None: pinterest: nopin',
  ],
  ['a page that is not listed', 'google', ['<title>=T', 'robots=noindex'], '', 'none: None: noindex: not listed'],
])('%s: %s', (_, app, tags, image, verdict) => {
  const { state, text } = verdictOf(cardFor(app, tags, image))
  expect(`${state}: ${text}`).toBe(verdict)
})

const EVERY = {
  'fits: Large image': 'x facebook linkedin slack discord whatsapp imessage signal telegram bluesky mastodon pinterest',
  'fits: Small image': 'teams',
  'fits: Search result': 'google',
}

/** Without scripts: by limits, by lines of 80 columns, and by what the cards have room for. */
test.each<[title: number, description: number, image: string, marks: Record<string, string>]>([
  [70, 200, '1200x630', EVERY],
  [
    160,
    200,
    '1200x630',
    {
      ...EVERY,
      'cut: Large image, title cut': 'x discord',
      'fits: Large image': 'facebook linkedin slack whatsapp imessage signal telegram bluesky mastodon pinterest',
    },
  ],
  [
    161,
    500,
    '1200x630',
    {
      'cut: Large image, title cut': 'x facebook linkedin whatsapp imessage signal telegram mastodon pinterest',
      'fits: Large image': 'slack bluesky',
      'cut: Large image, title cut, description cut': 'discord',
      'cut: Small image, title cut': 'teams',
      'cut: Search result, title cut': 'google',
    },
  ],
  [
    200,
    500,
    '',
    {
      'cut: Text only, title cut': 'facebook linkedin whatsapp signal telegram teams mastodon',
      'fits: Text only': 'slack bluesky',
      'cut: Text only, title cut, description cut': 'x discord',
      'cut: Icon, title cut': 'imessage',
      'none: None: needs an image (og:image)': 'pinterest',
      'cut: Search result, title cut': 'google',
    },
  ],
  [
    201,
    501,
    '1200x630',
    {
      'cut: Large image, title cut': 'x linkedin imessage',
      'cut: Large image, title cut, description cut':
        'facebook slack discord whatsapp signal telegram bluesky mastodon pinterest',
      'cut: Small image, title cut, description cut': 'teams',
      'cut: Search result, title cut, description cut': 'google',
    },
  ],
  [
    800,
    800,
    '!HTTP 404',
    {
      'cut: Text only, title cut, description cut, image not shown':
        'x facebook slack discord whatsapp signal telegram teams bluesky mastodon',
      'cut: Text only, title cut, image not shown': 'linkedin',
      'cut: Icon, title cut, image not shown': 'imessage',
      'none: None: needs an image (og:image)': 'pinterest',
      'cut: Search result, title cut, description cut': 'google',
    },
  ],
])('a title of %i characters, a description of %i and the image %p', (titleLength, descriptionLength, image, marks) => {
  const [titleText, descriptionText] = ['t'.repeat(titleLength), 'd'.repeat(descriptionLength)]
  const tags = [`og:title=${titleText}`, `<title>=${titleText}`]
  tags.push(`og:description=${descriptionText}`, `description=${descriptionText}`, LARGE)
  if (image !== '') tags.push(IMAGE)
  const shown = Map.groupBy(PLATFORMS, ({ id }) => {
    const { state, text } = verdictOf(cardFor(id, tags, image))
    return `${state}: ${text}`
  })
  const ids = Array.from(shown, ([mark, platforms]) => [mark, platforms.map(({ id }) => id).join(' ')])
  expect(Object.fromEntries(ids)).toEqual(marks)
})

test.each(PLATFORMS)('$name says why it shows no card', ({ id }) => {
  const pages = [[], ['<title>=T'], [description(1)], [IMAGE], [title(1)], [title(1), IMAGE], [LARGE]]
  for (const tags of pages) {
    for (const image of ['', '!HTTP 404']) {
      const { layout, problem } = cardFor(id, tags, image)
      if (layout === 'none') expect(problem).toMatch(/^needs .*(?:og:|twitter:)/)
    }
  }
})
