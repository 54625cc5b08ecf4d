import { listPageTags } from '../../src/previews/tags/list-page-tags.ts'
import type { ImageFacts } from '../../src/core/fetch/image-facts.ts'
import type { CardInput } from '../../src/previews/rules/card-content.ts'
import { cardOf, type Card } from '../../src/previews/rules/card.ts'
import { PLATFORMS } from '../../src/previews/platforms/platforms.ts'

export const PAGE_URL = 'https://www.example.com/lights'
export const IMAGE_URL = 'https://www.example.com/a.jpg'

/** `og:title=Lights` → a meta element; `<title>=…`, `link icon=…` and `json-ld {…}` are other elements, `<meta …>` is HTML. */
export function htmlOf(tags: readonly string[]): string {
  return tags
    .map((tag) => {
      if (/^<\w+ /.test(tag)) return tag
      const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(tag) ?? []
      const text = value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
      if (name === '<title>') return `<title>${text}</title>`
      if (name === 'json-ld') return `<script type="application/ld+json">${value}</script>`
      if (name.startsWith('link ')) return `<link rel="${name.slice(5)}" href="${text}">`
      return `<meta property="${name}" content="${text}">`
    })
    .join('\n')
}

export function tagsOf(html: string) {
  return listPageTags({ bytes: new TextEncoder().encode(html), encoding: 'utf-8', url: new URL(PAGE_URL) })
}

/** `1200x630`, `1200x630 5 MB image/png` or `!HTTP 404`. */
export function imageFacts(text: string, url = IMAGE_URL): ImageFacts {
  if (text.startsWith('!')) return { url, problem: text.slice(1), mimeType: '', bytes: null, size: null }
  const [, width, height, bytes = '1000', mimeType = 'image/jpeg'] = /^(\d+)x(\d+)(?: (\d+))?(?: (\S+))?$/.exec(text)!
  return { url, problem: '', mimeType, bytes: Number(bytes), size: { width: Number(width), height: Number(height) } }
}

/** The card of a platform for tags and the size of the image at `/a.jpg`; '' when it was not requested. */
export function cardFor(id: string, tags: readonly string[], image = '', facts: Partial<CardInput> = {}): Card {
  const platform = PLATFORMS.find((candidate) => candidate.id === id)!
  const images = image === '' ? [] : [imageFacts(image)]
  const page = tagsOf(htmlOf(tags))
  const favicon = 'https://www.example.com/favicon.ico'
  return cardOf(platform, {
    requestedUrl: PAGE_URL,
    url: PAGE_URL,
    redirects: 0,
    page,
    images,
    favicon,
    oembed: null,
    robots: [],
    ...facts,
  })
}
