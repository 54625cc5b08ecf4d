/** Width and height in pixels, as displayed. A JPEG may be stored rotated by 90 degrees. */
export interface ImageSize {
  width: number
  height: number
}

export const sizeText = ({ width, height }: ImageSize) => `${width} × ${height}`

/** The problem of a file that was not requested because the user had reached a limit. The site is not at fault. */
export const LIMIT_REACHED = 'not loaded: too many requests'

/** Found by requesting the image. */
export interface ImageFacts {
  /** Absolute. */
  url: string
  /** Why the image cannot be shown: `HTTP 404`, `not an image: text/html`; '' if it can be shown. */
  problem: string
  /** From the bytes of the file, or else its Content-Type; '' if unknown. */
  mimeType: string
  /** The size of the file; null if unknown. */
  bytes: number | null
  /** Null when unknown. */
  size: ImageSize | null
}
