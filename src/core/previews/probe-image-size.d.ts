/** The package has no types for this part, which has no HTTP client. */
declare module 'probe-image-size/sync.js' {
  /** Null when the format or the dimensions are unknown. Units are those of an SVG; the orientation is that of Exif. */
  export default function probe(
    bytes: Uint8Array,
  ): { width: number; height: number; wUnits: string; hUnits: string; orientation?: number } | null
}
