import { hash } from 'node:crypto'

const PREFIX = 'urlmeta_live_'

/** 128 random bits cannot be guessed, so the stored hash needs neither salt nor stretching. */
const API_KEY_BYTES = 16

/** A random key: `urlmeta_live_<32 hex>`. */
export function newApiKey(randomBytes: (length: number) => Uint8Array): string {
  return PREFIX + Buffer.from(randomBytes(API_KEY_BYTES)).toString('hex')
}

/** Whether the text has the format of a key. Does not check that the key exists. */
export const isApiKey = (text: string): boolean => /^urlmeta_live_[0-9a-f]{32}$/.test(text)

/** SHA-256 in lower-case hex, the only form in which a key is stored. */
// oxlint-disable-next-line no-restricted-globals -- pure, like `hash`, which takes longer
export const hashApiKey = (key: string): string => Bun.SHA256.hash(key, 'hex')

/** `urlmeta_live_…9f3c`, for display in lists. */
export const maskedKey = (lastFour: string): string => `${PREFIX}…${lastFour}`

/**
 * The id of a key created by a form, derived from the user and the form's idempotency key: a resubmitted form gets the
 * same id, and ids of different users cannot collide. A version 8 UUID (RFC 9562, 5.8).
 */
export function keyIdOf(userId: string, idempotencyKey: string): string {
  const bytes = hash('sha256', JSON.stringify([userId, idempotencyKey]), 'buffer').subarray(0, 16)
  bytes[6] = 0x80 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
