import { percentDecoded } from '../percent-decoded.ts'
import type { Extraction } from './extract.ts'
import { usableAddress } from './page/usable-address.ts'
import { collapseWhitespace, truncate } from './reading/text.ts'
import { svgTitle } from './svg-title.ts'

/** The longest file name on common file systems. */
const MAX_NAME_LENGTH = 255

export interface ReceivedFile {
  url: URL
  kind: 'image' | 'other'
  /** The file name in the response, or ''. */
  declaredName?: string | undefined
  /** The start of an SVG document; empty for other files. */
  bytes?: Uint8Array
  /** The canonical URL in the Link header of the response. */
  canonical?: string | null | undefined
}

/**
 * Returns the metadata of a response that is not HTML: for an image its URL, and the title of an SVG document; for any
 * other file its name as the title.
 */
export function describeFile(file: ReceivedFile): Pick<Extraction, 'metadata' | 'sources'> {
  const described = describeContent(file)
  const { url } = file
  const canonical = usableAddress(file.canonical ?? '', { url, baseUrl: url.href })
  if (canonical === undefined) return described
  return {
    metadata: { canonical_url: canonical.href, ...described.metadata },
    sources: { canonical_url: 'Link header canonical', ...described.sources },
  }
}

function describeContent(file: ReceivedFile): Pick<Extraction, 'metadata' | 'sources'> {
  const { url, kind, declaredName = '', bytes = new Uint8Array() } = file
  if (kind === 'image') {
    const image = url.href.split('#', 1)[0]!
    const title = asTitle(svgTitle(bytes))
    if (title === '') return { metadata: { image }, sources: { image: 'url' } }
    return { metadata: { title, image }, sources: { title: '<title>', image: 'url' } }
  }
  const declared = asTitle(declaredName)
  const title = declared || asTitle(pathName(url))
  if (title === '') return { metadata: {}, sources: {} }
  return { metadata: { title }, sources: { title: declared === '' ? 'file name' : 'content-disposition' } }
}

function asTitle(text: string): string {
  return truncate(collapseWhitespace(text), MAX_NAME_LENGTH)
}

/** The last segment of the path, percent-decoded; '' for a directory. */
function pathName({ pathname }: URL): string {
  return percentDecoded(pathname.slice(pathname.lastIndexOf('/') + 1))
}
