import type { FieldPath } from '../fields/fields.ts'
import type { EncodedPage } from '../reading/transcode.ts'
import { place, type Source } from '../sources/sources.ts'
import table from './file-sources.json'
import { xmlValues } from './xml-values.ts'

/**
 * The sources of each field of a file that is not a page, in order of precedence. Of XML, they are paths of `xmlValues`:
 * - `channel/…`: RSS 2.0, 1.0 and 0.9, https://www.rssboard.org/rss-specification and https://web.resource.org/rss/1.0/spec
 * - `channel/itunes:…`: podcasts, https://podcasters.apple.com/support/823
 * - `feed/…`: Atom, https://www.rfc-editor.org/rfc/rfc4287, with `tagline` of version 0.3
 * - `head/…`: OPML, http://opml.org/spec2.opml
 * - `title`: SVG, https://svgwg.org/svg2-draft/struct.html#TitleElement, and other formats, such as DocBook
 */
export const FILE_SOURCES: Readonly<Partial<Record<FieldPath, string>>> = table

const IMAGE = 'channel/image/url'
const IMAGE_WIDTH = 'channel/image/width'
const PATHS = ['xml:base', IMAGE_WIDTH, ...Object.values(FILE_SOURCES).flatMap((sources) => sources.split(','))]

/** In pixels. WordPress writes the icon of the site as the image of its feeds, 32 pixels wide. */
const MAX_ICON_WIDTH = 64

/** `jo@site.test (Jo Doe)`, as RSS writes people. */
const MAILBOX = /^\s*[^\s@]+@[^\s@]+ \((.+)\)\s*$/

/** The values of a feed, a list of feeds or another XML document by their sources, and `xml:base`. */
export function xmlFileValues(document: EncodedPage): Map<string, string> {
  const values = xmlValues(document, PATHS)
  const isIcon = Number(values.get(IMAGE_WIDTH) ?? Infinity) <= MAX_ICON_WIDTH
  const sourceOf = (path: string) => (isIcon && path === IMAGE ? `${IMAGE} of an icon` : path)
  return new Map([...values].map(([path, value]) => [sourceOf(path), value.replace(MAILBOX, '$1')]))
}

/** The sources of a field. @param values the values of a file by their sources */
export function fileSources(path: FieldPath, values: ReadonlyMap<string, string>): Source[] {
  return FILE_SOURCES[path]?.split(',').map((label) => place(label, () => values.get(label) ?? '')) ?? []
}
