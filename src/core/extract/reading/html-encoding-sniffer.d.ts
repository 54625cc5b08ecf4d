// The package has no types, and DefinitelyTyped only covers version 3.
declare module 'html-encoding-sniffer' {
  interface Options {
    /** Returned when no encoding is found. */
    defaultEncoding?: string | null
    /** How many bytes are searched for `<meta charset>`; 1,024 by default. */
    maxPrescanBytes?: number
  }
  /** https://html.spec.whatwg.org/multipage/parsing.html#encoding-sniffing-algorithm */
  export default function sniffEncoding(bytes: Uint8Array, options?: Options): string | null
}
