import { editorjs } from './editorjs.ts'
import type { Format } from './format.ts'
import { iframely } from './iframely.ts'
import { jsonlink } from './jsonlink.ts'
import { linkpreview } from './linkpreview.ts'
import { microlink } from './microlink.ts'
import { oembed } from './oembed.ts'
import { opengraph } from './opengraph.ts'
import { peekalink } from './peekalink.ts'
import { summaly } from './summaly.ts'

/** Every format besides that of `GET /v1/metadata`. */
export const FORMATS: readonly Format[] = [
  microlink,
  linkpreview,
  opengraph,
  iframely,
  summaly,
  editorjs,
  jsonlink,
  peekalink,
  oembed,
]

/** The name of the format of a route; null for other routes. */
export function formatOf(routePath: string): string | null {
  return FORMATS.find(({ path }) => path === routePath)?.name ?? null
}
