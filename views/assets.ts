import card from './url-card.js' with { type: 'text' }
import favicon from './favicon.svg' with { type: 'text' }
import icons from './ui/icons.svg' with { type: 'text' }
import marks from './playground/app-marks.svg' with { type: 'text' }
import socialImagePath from './social-image.png' with { type: 'file' }
import pane from './requests/pane.js' with { type: 'text' }
import script from './script.js' with { type: 'text' }
import { STYLE } from './style.ts'

/** The URL includes a hash of the content, so that browsers can cache it forever. */
function asset<Content extends string | Uint8Array<ArrayBuffer>>(path: string, type: string, content: Content) {
  return { type, content, href: `${path}?v=${Bun.hash(content).toString(36)}` }
}

/** The link preview of the pages, 1200 × 630; written by test/views/social-image.ts. */
const socialImage = await Bun.file(socialImagePath).bytes()

/** Removes comments between asterisks, and indentation. */
const compact = (source: string) => source.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/^\s+/gm, '')

/** CSS needs no line breaks after these characters, no spaces after colons and before braces, and no last semicolons. */
const style = compact(STYLE).replaceAll(/;\n(?=})|(?<=[{},;])\n|(?<=:) | (?={)/g, '')

/** The files that pages load, by path, embedded in the executable. */
export const ASSETS = {
  '/style.css': asset('/style.css', 'text/css; charset=utf-8', style),
  '/script.js': asset('/script.js', 'text/javascript; charset=utf-8', script + pane),
  '/card.js': asset('/card.js', 'text/javascript; charset=utf-8', compact(card)),
  '/social-image.png': asset('/social-image.png', 'image/png', socialImage),
  '/favicon.svg': asset('/favicon.svg', 'image/svg+xml', favicon),
  '/icons.svg': asset('/icons.svg', 'image/svg+xml', icons),
  '/marks.svg': asset('/marks.svg', 'image/svg+xml', marks),
} as const
