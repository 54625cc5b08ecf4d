/** Width and height in pixels, as the image is displayed: a JPEG may be stored rotated by 90 degrees. */
export interface ImageSize {
  width: number
  height: number
}

export const sizeText = ({ width, height }: ImageSize) => `${width} × ${height}`

/** The problem of a file that was not requested because the user had reached a limit. It is not a fault of the site. */
export const LIMIT_REACHED = 'not loaded: too many requests'

/** The properties of an image of a page, found by requesting it. */
export interface ImageFacts {
  /** Absolute. */
  url: string
  /** Why it cannot be shown: `HTTP 404`, `not an image: text/html`; '' when it can. */
  problem: string
  /** From its bytes or else its Content-Type; '' when unknown. */
  mimeType: string
  /** The size of the file; null when unknown. */
  bytes: number | null
  /** Null when unknown. */
  size: ImageSize | null
}
