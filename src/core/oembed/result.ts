import type { AllowRule } from '../net/egress.ts'
import type { Extraction, Sources } from '../extract/extract.ts'
import type { FoundExtra } from '../extract/fields/extra.ts'
import type { FieldPath } from '../extract/fields/fields.ts'
import { countJsonValues } from '../extract/json-ld/json-value-count.ts'
import {
  MAX_DESCRIPTION_LENGTH,
  MAX_LINE_LENGTH,
  MAX_TITLE_LENGTH,
  type Normalize,
  normalizePlainText,
} from '../extract/reading/normalize.ts'
import { sizeOf } from '../extract/sources/extra-sources.ts'
import { normalizeName } from '../extract/sources/person-name.ts'
import { type Metadata, nested } from '../extract/fields/metadata.ts'
import { isRecord, parsedJson } from '../json.ts'
import { parseTargetUrl } from '../net/url.ts'
import { decodedAmpersands, parseUrl } from '../web-url.ts'
import { paragraphOf, textOf } from './markup.ts'
import { playerOf } from './player.ts'

/** The metadata of an oEmbed response, and the source of each value by field: `title` → `oembed title`. */
export type OembedResult = Pick<Extraction, 'metadata' | 'sources' | 'extra'>

/** Longer responses are rejected. Real responses have 1 to 5 KB, most of it markup to embed. */
export const MAX_OEMBED_BYTES = 256 * 1024

export const OEMBED_ACCEPT = 'application/json,*/*;q=0.8'

export interface OembedResponse {
  bytes: Uint8Array
  /** The URL after redirects. */
  url: URL
}

/** Real responses have about 20 values and at most one level of nesting. */
const JSON_LIMITS = { depth: 16, values: 1_000 }

const line = normalizePlainText(MAX_LINE_LENGTH)

/**
 * Reads a response (https://oembed.com section 2.3). Texts are normalized like texts of pages, and image URLs must be
 * URLs that callers may request. Null if the response is invalid or has no usable value.
 * @param allow private destinations that the operator allows
 */
export function readOembed({ bytes, url }: OembedResponse, allow: readonly AllowRule[]): OembedResult | null {
  const json = parseObject(new TextDecoder().decode(bytes))
  if (json === null) return null
  const text = (name: string) => textOf(stringAt(json, name))
  const address: Normalize = (value) => targetAddress(value, url, allow)

  const values: [path: string, value: string][] = []
  const sources: Sources = {}
  const add = (path: FieldPath, name: string, value: string | undefined) => {
    if (value === undefined || sources[path] !== undefined) return
    values.push([path, value])
    sources[path] = `oembed ${name}`
  }

  add('title', 'title', normalizePlainText(MAX_TITLE_LENGTH)(text('title')))
  if (sources['title'] === undefined) {
    // Posts have no title. The author's name is used instead, and the text is in the markup.
    add('title', 'author_name', line(text('author_name')))
    const paragraph = paragraphOf(stringAt(json, 'html'))
    add('description', 'html', normalizePlainText(MAX_DESCRIPTION_LENGTH)(paragraph))
  }
  add('image', 'thumbnail_url', address(stringAt(json, 'thumbnail_url')))
  if (json['type'] === 'photo') add('image', 'url', address(stringAt(json, 'url')))
  if (values.length === 0) return null
  add('site_name', 'provider_name', line(text('provider_name')))
  add('meta.author', 'author_name', normalizeName(line(text('author_name')) ?? ''))
  return { metadata: nested(values) as Metadata, sources, extra: foundExtra(json, sources['image'], address) }
}

/** @param imageSource decides which properties have the size of the image: `thumbnail_width` or `width` */
function foundExtra(json: Record<string, unknown>, imageSource: string | undefined, address: Normalize): FoundExtra {
  const prefix = imageSource === 'oembed thumbnail_url' ? 'thumbnail_' : ''
  const size = imageSource && sizeOf(json[`${prefix}width`], json[`${prefix}height`])
  const player = playerOf(json, address)
  return {
    ...(size && { image_size: { value: size, source: `oembed ${prefix}width and ${prefix}height` } }),
    ...(player && { player: { value: player, source: 'oembed html' } }),
  }
}

/** A JSON object of a bounded size; null for anything else. */
export function parseObject(text: string): Record<string, unknown> | null {
  const value = countJsonValues(text, JSON_LIMITS) === null ? null : parsedJson(text)
  return isRecord(value) ? value : null
}

/**
 * The string property of this name, or ''. Some providers send null or false for an unknown value, or half a
 * surrogate pair.
 */
export function stringAt(json: Record<string, unknown>, name: string): string {
  const value = json[name]
  return typeof value === 'string' ? value.toWellFormed() : ''
}

function targetAddress(value: string, base: URL, allow: readonly AllowRule[]): string | undefined {
  const address = value.trim() === '' ? null : parseUrl(decodedAmpersands(value), base.href)
  if (address === null) return undefined
  const target = parseTargetUrl(address.href, allow)
  return 'url' in target ? target.url.href : undefined
}

/** Adds the values of the oEmbed response that the page lacks. */
export function filledFrom({ metadata, sources, extra }: OembedResult, oembed: OembedResult): OembedResult {
  const { image_size: size, ...others } = oembed.extra
  const isItsImage = metadata.image === undefined || metadata.image === oembed.metadata.image
  const meta = { ...oembed.metadata.meta, ...metadata.meta }
  return {
    metadata: { ...oembed.metadata, ...metadata, ...(Object.keys(meta).length > 0 && { meta }) },
    sources: { ...oembed.sources, ...sources },
    extra: { ...others, ...(isItsImage && size && { image_size: size }), ...extra },
  }
}

/** Removes the title element of an empty shell: the title is the name of the application, and all pages have the same. */
export function withoutShellTitle({ metadata, sources, extra }: OembedResult): OembedResult {
  if (sources['title'] !== 'title element') return { metadata, sources, extra }
  const { title: _title, ...others } = metadata
  const { title: _source, ...otherSources } = sources
  return { metadata: others, sources: otherSources, extra }
}
