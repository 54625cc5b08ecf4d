/** Width and height in pixels, as the image is shown: a JPEG may be stored turned by a quarter. */
export interface ImageSize {
  width: number
  height: number
}

/** What is known of an image of a page after it was requested. */
export interface ImageFacts {
  /** Absolute. */
  url: string
  /** Why it cannot be shown: `HTTP 404`, `not an image: text/html`; '' when it can. */
  problem: string
  /** From its bytes or else its Content-Type; '' when unknown. */
  mimeType: string
  /** Its weight; null when unknown. */
  bytes: number | null
  /** Null when unknown. */
  size: ImageSize | null
}
