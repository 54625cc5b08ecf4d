import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** 256 bits: guessing is hopeless, so the stored hash needs neither salt nor stretching. */
export const TOKEN_BYTES = 32

/** 32 random bytes → 43 characters that need no escaping in a cookie or a URL. */
export function formatToken(bytes: Uint8Array): string {
  if (bytes.length !== TOKEN_BYTES) throw new RangeError(`a token takes ${TOKEN_BYTES} bytes, got ${bytes.length}`)
  return Buffer.from(bytes).toString('base64url')
}

/** SHA-256 of all parts in lower-case hex: the only form in which a token is stored. */
export function hashToken(...parts: string[]): string {
  // Of no two lists of parts is the JSON the same, wherever one ends and the next begins.
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** What a signature is for; one that was made for another thing is none. */
export type SignaturePurpose = 'csrf' | 'image'

/** HMAC-SHA-256 by the service's secret. */
export function sign(secret: Uint8Array, purpose: SignaturePurpose, ...parts: string[]): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([purpose, ...parts]))
    .digest('base64url')
}

/** Whether `signature` is the one that `sign` makes; takes the same time wherever they differ. */
export function isSigned(
  signature: string,
  secret: Uint8Array,
  purpose: SignaturePurpose,
  ...parts: string[]
): boolean {
  const expected = Buffer.from(sign(secret, purpose, ...parts))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
