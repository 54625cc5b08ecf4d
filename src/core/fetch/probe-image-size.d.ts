/** The package has no types for this module, which contains no HTTP client. */
declare module 'probe-image-size/sync.js' {
  /** Null if the format or the dimensions are unknown. The units are from the SVG, the orientation is from Exif. */
  export default function probe(
    bytes: Uint8Array,
  ): { width: number; height: number; wUnits: string; hUnits: string; orientation?: number } | null
}
