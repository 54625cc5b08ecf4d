import { listPageTags } from '../../src/previews/tags/list-page-tags.ts'
import type { ImageFacts } from '../../src/core/fetch/image-facts.ts'
import type { OembedFacts } from '../../src/previews/rules/oembed-facts.ts'
import type { PageTags } from '../../src/previews/tags/page-tags.ts'
import type { PageResult } from '../../src/core/fetch/page-result.ts'
import type { RobotsFacts } from '../../src/previews/rules/robots.ts'
import type { FetchTrace } from '../../src/core/fetch/trace.ts'
import { linkPreviewOf } from '../../src/http/routes/playground/link-preview.ts'

/** The tags of HTML. */
export function pageTags(html: string, url: string): PageTags {
  return listPageTags({ bytes: new TextEncoder().encode(html), encoding: 'utf-8', url: new URL(url) })
}

export interface SampleParts {
  response: { url: string } & PageResult
  html: string
  rendered?: string
  images?: ImageFacts[]
  oembed?: OembedFacts
  robots?: RobotsFacts[]
  trace?: FetchTrace
  editedTags?: string
}

/** Link previews as the server makes them. */
export function linkPreviewFor(parts: SampleParts) {
  const {
    response,
    html,
    rendered,
    images = [],
    oembed = null,
    robots = [],
    trace = { hops: [] },
    editedTags = null,
  } = parts
  const { url, ...result } = response
  const final = trace.hops.at(-1)?.url ?? url
  const tags = { plain: pageTags(html, final), ...(rendered && { rendered: pageTags(rendered, final) }) }
  const details = { sources: {}, trace, tags }
  const preview = linkPreviewOf(
    { kind: 'success', url, result, cached: false, details, images, oembed, robots, editedTags },
    (image) => `/playground/image?of=${encodeURIComponent(image)}`,
  )
  if (typeof preview === 'string') throw new Error('the tags are unknown')
  return preview
}
