import { expect, test } from 'bun:test'

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
  ['an app without a limit in characters', 'whatsapp', [title(900)], '', 'fits: Text only'],
  ['an image that failed', 'slack', [title(1), IMAGE], '!HTTP 404', 'cut: Text only, image not shown'],
  [
    'an image under the minimum',
    'x',
    [title(71), IMAGE, LARGE],
    '100x100',
    'cut: Text only, title cut, image not shown',
  ],
  ['no tags', 'facebook', [], '', 'none: None: only the link'],
  ['no image for an app that needs one', 'pinterest', [title(1)], '', 'none: None: only the link'],
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
