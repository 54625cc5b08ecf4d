import signatures from './signatures.json'

/** Enough for the longest signature, and for a dozen brands of an AVIF. */
const MAX_BYTES = 64

/** Expressions for the first bytes of files, as Latin-1. */
type Signatures = readonly (readonly [mimeType: string, start: RegExp])[]

const compiled = (starts: Readonly<Record<string, string>>): Signatures =>
  Object.entries(starts).map(([mimeType, start]) => [mimeType, new RegExp(`^(?:${start})`, 's')])

/**
 * https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern, and images that the standard does not include yet. A
 * TGA begins like an icon without images. The brands of an AVIF or HEIC have any order (ISO/IEC 14496-12 section 4.3).
 */
const IMAGES = compiled(signatures.images)

/** The standard's other signatures. An MP4 file begins with its size in four bytes, the first of which is zero. */
export const FILES = compiled(signatures.files)

/** Images that Chromium does not show. */
export const UNSUPPORTED_IMAGES: readonly string[] = signatures.unsupportedImages

/** Without the types with whose first bytes text may begin too, such as `BMW` or `ID3 tags`. */
const unambiguous = (all: Signatures) => all.filter(([mimeType]) => !signatures.mayBeText.includes(mimeType))

/** HTML never begins with these signatures. They override a header that declares HTML. */
export const UNAMBIGUOUS_IMAGES = unambiguous(IMAGES)
export const UNAMBIGUOUS_FILES = unambiguous(FILES)

/** The image type whose signature `bytes` begin with; null if there is none. */
export function imageTypeOf(bytes: Uint8Array): string | null {
  return matching(IMAGES, bytes)
}

/** The type whose signature `bytes` begin with; null if there is none. */
export function matching(all: Signatures, { buffer, byteOffset, length }: Uint8Array): string | null {
  // Not by `TextDecoder`, whose `latin1` is windows-1252.
  const text = Buffer.from(buffer, byteOffset, Math.min(length, MAX_BYTES)).toString('latin1')
  return all.find(([, start]) => start.test(text))?.[0] ?? null
}
