import { firstOf } from '../first-of.ts'
import type { Normalize } from '../extract/reading/normalize.ts'
import { TextReader } from '../extract/reading/text.ts'
import { Tokenizer } from '../extract/reading/tokenizer.ts'
import { dimensionsOf, type Player } from '../extract/sources/extra-sources.ts'

/** The maximum number of characters of markup to search. Real snippets have up to 2,000. */
const MAX_HTML_CHARACTERS = 8 * 1024

/** The maximum number of frames to try. Real snippets have one. */
const MAX_FRAMES = 8

const NO_VALUE = { start: 0, end: 0 }

/** The first frame with an acceptable address in the markup of an oEmbed response (https://oembed.com section 2.3.4.2). */
export function playerOf(json: Record<string, unknown>, address: Normalize): Player | undefined {
  const { html, width, height } = json
  if (typeof html !== 'string') return undefined
  const bytes = new TextEncoder().encode(html.slice(0, MAX_HTML_CHARACTERS))
  const tokenizer = new Tokenizer(bytes)
  tokenizer.skipsText = true
  const reader = new TextReader(bytes, 'utf-8')
  const valueOf = (name: 'src' | 'width' | 'height') => reader.attribute(tokenizer.attribute(name) ?? NO_VALUE)
  return firstOf(framesOf(tokenizer).take(MAX_FRAMES), () => {
    const url = address(valueOf('src'))
    if (url === undefined) return undefined
    return { url, ...dimensionsOf(width, height), ...dimensionsOf(valueOf('width'), valueOf('height')) }
  })
}

/** Stops at the start tag of each frame. */
function* framesOf(tokenizer: Tokenizer) {
  for (let token = tokenizer.next(); token !== 'done'; token = tokenizer.next()) {
    if (token === 'start' && tokenizer.tag === 'iframe') yield
  }
}
