// The package carries no types, and those of DefinitelyTyped stop at version 3.
declare module 'html-encoding-sniffer' {
  interface Options {
    transportLayerEncodingLabel?: string
    /** Returned as it is when nothing else decides. */
    defaultEncoding?: string | null
    /** How many bytes are searched for `<meta charset>`; 1,024 unless told. */
    maxPrescanBytes?: number
  }
  /** https://html.spec.whatwg.org/multipage/parsing.html#encoding-sniffing-algorithm */
  export default function sniffEncoding(bytes: Uint8Array, options?: Options): string | null
}
