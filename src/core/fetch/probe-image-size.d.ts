/** The package has no types for these modules, which contain no HTTP client. */
declare module 'probe-image-size/sync.js' {
  /** The stored size; null if the format or the size is unknown. The orientation is a number of Exif. */
  export default function probe(bytes: Uint8Array): { width: number; height: number; orientation?: number } | null
}

declare module 'probe-image-size/lib/formats/svg.js' {
  /** Reads the attributes of the root element. The status is 1 when its start tag has been read. */
  export const Parser: new () => { attrs: Record<string, string>; push(bytes: Uint8Array): void; getStatus(): number }
}
