import { type Extra, extraOf } from '../../core/extract/fields/extra.ts'
import type { PageResult } from '../../core/fetch/page-result.ts'
import { parseDetails } from '../../core/fetch/result-details.ts'
import type { CachedReadResult } from '../../service/lookup/stored-results.ts'
import type { MetadataParameters } from './metadata-query.ts'
import type { MeteredFormat } from './metered-api.ts'

/**
 * The stored JSON with the requested URL as its first property and, if fields were requested, `extra` as its last.
 * @param pictureOf returns the link to an image through this server; null if the server proxies no images
 */
export function responseJson(
  { urlJson, fields }: Pick<MetadataParameters, 'urlJson' | 'fields'>,
  { json, details }: CachedReadResult,
  pictureOf: ((image: string) => string) | null = null,
): string {
  const text = `{"url":${urlJson},${json.slice(1)}`
  if (fields === null) return text
  const extra = extraOf(parseDetails(details)?.extra ?? {}, fields)
  const pictures = pictureOf !== null && fields.includes('pictures') ? picturesOf(json, pictureOf) : {}
  return `${text.slice(0, -1)},"extra":${JSON.stringify({ ...extra, ...pictures })}}`
}

/** The link to an image through this server, whose requests count against the key; null if it proxies no images. */
export type LinkImage = ((keyId: string, url: string) => string) | null

/** The text of a response to a key, with links to images if they were requested. */
export const responseWith =
  (linkImage: LinkImage): MeteredFormat['textOf'] =>
  (parameters, result, { keyId }) =>
    responseJson(parameters, result, linkImage && ((image) => linkImage(keyId, image)))

/** Empty for a page without images. */
function picturesOf(json: string, pictureOf: (image: string) => string): Pick<Extra, 'pictures'> {
  const { image, favicon } = JSON.parse(json) as PageResult
  if (!image && !favicon) return {}
  return { pictures: { ...(image && { image: pictureOf(image) }), ...(favicon && { favicon: pictureOf(favicon) }) } }
}
