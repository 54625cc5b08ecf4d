import type { Sources } from '../extract/extract.ts'
import type { Metadata } from '../extract/fields/metadata.ts'
import type { OembedResult } from './result.ts'

/** Metadata and the source of each value. */
interface Described {
  metadata: Metadata
  sources: Sources
}

/** Adds the values of the oEmbed response that the page lacks. */
export function filledFrom({ metadata, sources }: Described, oembed: OembedResult): Described {
  const meta = { ...oembed.metadata.meta, ...metadata.meta }
  return {
    metadata: { ...oembed.metadata, ...metadata, ...(Object.keys(meta).length > 0 && { meta }) },
    sources: { ...oembed.sources, ...sources },
  }
}

/** Removes the title element of an empty shell: it is the name of the application and the same on all its pages. */
export function withoutShellTitle({ metadata, sources }: Described): Described {
  if (sources['title'] !== 'title element') return { metadata, sources }
  const { title: _title, ...others } = metadata
  const { title: _source, ...otherSources } = sources
  return { metadata: others, sources: otherSources }
}
