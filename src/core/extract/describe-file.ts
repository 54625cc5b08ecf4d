import type { Metadata } from '../metadata.ts'
import { collapsed, cut } from './text.ts'

/** Longest file name that any common file system takes. */
const MAX_FILE_NAME_LENGTH = 255

/** What an address that is no page tells by itself: an image is its own image, any other file is called by its name. */
export function describeFile(
  url: URL,
  kind: 'image' | 'other',
): { metadata: Metadata; sources: Record<string, string> } {
  if (kind === 'image') return { metadata: { image: withoutFragment(url) }, sources: { image: 'url' } }
  const name = fileName(url)
  return name === '' ? { metadata: {}, sources: {} } : { metadata: { title: name }, sources: { title: 'file name' } }
}

/** The last segment of the path as a person would write it, '' for a directory. */
function fileName({ pathname }: URL): string {
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1)
  return cut(collapsed(unescaped(segment)), MAX_FILE_NAME_LENGTH)
}

/** A segment whose escapes are no UTF-8 stays as it is. */
function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function withoutFragment(url: URL): string {
  const { hash, href } = url
  return hash === '' ? href : href.slice(0, -hash.length)
}
