import favicon from './favicon.svg' with { type: 'text' }
import script from './script.js' with { type: 'text' }
import { STYLE } from './style.ts'

/** A file that pages load, embedded as text. */
export interface Asset {
  type: string
  text: string
  /** Its URL, which includes a hash of the content so that browsers can cache it forever. */
  href: string
}

const asset = (path: string, type: string, text: string): Asset => ({
  type,
  text,
  href: `${path}?v=${Bun.hash(text).toString(36)}`,
})

/** The files that pages load, by path. */
export const ASSETS = {
  '/style.css': asset('/style.css', 'text/css; charset=utf-8', STYLE),
  '/script.js': asset('/script.js', 'text/javascript; charset=utf-8', script),
  '/favicon.svg': asset('/favicon.svg', 'image/svg+xml', favicon),
} as const
