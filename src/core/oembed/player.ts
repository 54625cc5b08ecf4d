import { parse } from 'node-html-parser'

import { firstOf } from '../first-of.ts'
import type { Normalize } from '../extract/reading/normalize.ts'
import { dimensionsOf, type Player } from '../extract/sources/extra-sources.ts'

/** The maximum number of characters of markup to search. Real snippets have up to 2,000. */
const MAX_HTML_CHARACTERS = 8 * 1024

/** The maximum number of frames to try. Real snippets have one. */
const MAX_FRAMES = 8

/** Start tags. Only these are parsed, because the parser takes quadratic time for nested elements (docs/extraction.md). */
const FRAME = /<iframe\s[^<>]*>/gi

/** The first frame with an acceptable address in the markup of an oEmbed response (https://oembed.com section 2.3.4.2). */
export function playerOf(json: Record<string, unknown>, address: Normalize): Player | undefined {
  const { html, width, height } = json
  if (typeof html !== 'string') return undefined
  return firstOf(html.slice(0, MAX_HTML_CHARACTERS).matchAll(FRAME).take(MAX_FRAMES), ([tag]) => {
    const frame = parse(tag).querySelector('iframe')
    const url = address(frame?.getAttribute('src') ?? '')
    const own = dimensionsOf(frame?.getAttribute('width'), frame?.getAttribute('height'))
    return url === undefined ? undefined : { url, ...dimensionsOf(width, height), ...own }
  })
}
