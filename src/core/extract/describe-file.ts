import { percentDecoded } from '../percent-decoded.ts'
import type { Extraction } from './extract.ts'
import { collapseWhitespace, truncate } from './reading/text.ts'

/** The longest file name on common file systems. */
const MAX_FILE_NAME_LENGTH = 255

/** Metadata of a response that is not HTML: the `image` of an image is its URL, the `title` of another file its name. */
export function describeFile(url: URL, kind: 'image' | 'other'): Pick<Extraction, 'metadata' | 'sources'> {
  if (kind === 'image') return { metadata: { image: url.href.split('#', 1)[0]! }, sources: { image: 'url' } }
  const name = fileName(url)
  return name === '' ? { metadata: {}, sources: {} } : { metadata: { title: name }, sources: { title: 'file name' } }
}

/** The last segment of the path, percent-decoded; '' for a directory. */
function fileName({ pathname }: URL): string {
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1)
  return truncate(collapseWhitespace(percentDecoded(segment)), MAX_FILE_NAME_LENGTH)
}
