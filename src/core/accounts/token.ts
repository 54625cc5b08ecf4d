import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** 256 random bits cannot be guessed, so the stored hash needs neither salt nor stretching. */
const TOKEN_BYTES = 32

/** A random token of 43 characters that need no escaping in a cookie or a URL. */
export function newToken(randomBytes: (length: number) => Uint8Array): string {
  return Buffer.from(randomBytes(TOKEN_BYTES)).toString('base64url')
}

/** SHA-256 of all parts in lower-case hex, the only form in which a token is stored. */
export function hashToken(...parts: string[]): string {
  // JSON is unambiguous: no two different lists of parts encode to the same text.
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** Whether two secrets are the same, compared in constant time, regardless of their lengths. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(hashToken(given)), Buffer.from(hashToken(expected)))
}

/** The purpose of a signature; a signature for one purpose is invalid for another. */
export type SignaturePurpose = 'csrf' | 'image' | 'public-image' | 'deleted-account'

/** HMAC-SHA-256 with the service's secret. */
export function sign(secret: Uint8Array, purpose: SignaturePurpose, ...parts: string[]): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([purpose, ...parts]))
    .digest('base64url')
}

/** Whether `signature` is valid, compared in constant time. */
export function isSigned(signature: string, ...signed: Parameters<typeof sign>): boolean {
  return isSameSecret(signature, sign(...signed))
}
