import { type Extra, extraOf } from '../../core/extract/fields/extra.ts'
import type { PageResult } from '../../core/fetch/page-result.ts'
import { parseDetails } from '../../core/fetch/result-details.ts'
import type { Plan } from '../../core/plan.ts'
import type { CachedReadResult } from '../../service/lookup/cached-reader.ts'
import type { AccessLog } from '../server/access-log.ts'
import { gzipped } from '../server/compression.ts'
import { API_HEADERS } from '../server/json.ts'
import type { Exchange } from './cors.ts'
import type { MetadataParameters } from './metadata-query.ts'
import { quotaHeaders, type RemainingQuota } from './limit-headers.ts'

interface Metered extends RemainingQuota {
  result: CachedReadResult
}

/**
 * Responds with the JSON of a metered result in any format, compressed if the client accepts it. Returns a string and sets
 * headers separately: to add headers to a Response, Elysia copies it and its body stream.
 */
export function createMeteredResponse({ accessLog, now }: { accessLog: AccessLog; now: () => number }) {
  return ({ request, set }: Exchange, plan: Plan, metered: Metered, text: string) => {
    const { cached, layer, isProvisional } = metered.result
    const cache = cached ? 'HIT' : 'MISS'
    accessLog.add(request, layer ? { cache, cacheLayer: layer } : { cache })
    Object.assign(set.headers, API_HEADERS, quotaHeaders(plan, metered, now()))
    set.headers['x-cache'] = cache
    if (isProvisional) set.headers['x-provisional'] = 'true'
    const body = gzipped(request, text)
    if (body === null) return text
    set.headers['content-encoding'] = 'gzip'
    set.headers['vary'] = ['Accept-Encoding', set.headers['vary'] ?? []].flat().join(', ')
    return new Response(body)
  }
}

/**
 * The stored JSON with the requested URL as its first property and, if fields were asked for, `extra` as its last.
 * @param pictureOf the link to an image through this server; null if it proxies none
 */
export function responseJson(
  { url, fields }: Pick<MetadataParameters, 'url' | 'fields'>,
  { json, details }: CachedReadResult,
  pictureOf: ((image: string) => string) | null = null,
): string {
  const text = `{"url":${JSON.stringify(url)},${json.slice(1)}`
  if (fields === null) return text
  const extra = extraOf(parseDetails(details)?.extra ?? {}, fields)
  const pictures = pictureOf !== null && fields.includes('pictures') ? picturesOf(json, pictureOf) : {}
  return `${text.slice(0, -1)},"extra":${JSON.stringify({ ...extra, ...pictures })}}`
}

/** Empty for a page without images. */
function picturesOf(json: string, pictureOf: (image: string) => string): Pick<Extra, 'pictures'> {
  const { image, favicon } = JSON.parse(json) as PageResult
  if (!image && !favicon) return {}
  return { pictures: { ...(image && { image: pictureOf(image) }), ...(favicon && { favicon: pictureOf(favicon) }) } }
}
