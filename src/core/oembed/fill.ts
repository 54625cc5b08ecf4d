import type { OembedResult } from './result.ts'

/** Adds the values of the oEmbed response that the page lacks. */
export function filledFrom({ metadata, sources, extra }: OembedResult, oembed: OembedResult): OembedResult {
  const { image_size: size, ...others } = oembed.extra
  const isItsImage = metadata.image === undefined || metadata.image === oembed.metadata.image
  const meta = { ...oembed.metadata.meta, ...metadata.meta }
  return {
    metadata: { ...oembed.metadata, ...metadata, ...(Object.keys(meta).length > 0 && { meta }) },
    sources: { ...oembed.sources, ...sources },
    extra: { ...others, ...(isItsImage && size && { image_size: size }), ...extra },
  }
}

/** Removes the title element of an empty shell: it is the name of the application and the same on all its pages. */
export function withoutShellTitle({ metadata, sources, extra }: OembedResult): OembedResult {
  if (sources['title'] !== 'title element') return { metadata, sources, extra }
  const { title: _title, ...others } = metadata
  const { title: _source, ...otherSources } = sources
  return { metadata: others, sources: otherSources, extra }
}
