import { createHash } from 'node:crypto'

const PREFIX = 'urlmeta_live_'

/** 128 bits: guessing is hopeless, so the stored hash needs neither salt nor stretching. */
export const API_KEY_BYTES = 16

const FORMAT = /^urlmeta_live_[0-9a-f]{32}$/

/** 16 random bytes → `urlmeta_live_<32 hex>`. */
export function formatApiKey(bytes: Uint8Array): string {
  if (bytes.length !== API_KEY_BYTES)
    throw new RangeError(`an API key takes ${API_KEY_BYTES} bytes, got ${bytes.length}`)
  return PREFIX + Buffer.from(bytes).toString('hex')
}

/** Whether the text has the form of a key; says nothing of whether the key exists. */
export function isApiKey(text: string): boolean {
  return FORMAT.test(text)
}

/** SHA-256 in lower-case hex: the only form in which a key is stored. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** What is kept to tell keys apart: the last four characters. */
export function lastFourOf(key: string): string {
  return key.slice(-4)
}

/** `urlmeta_live_…9f3c`, as lists show a key. */
export function maskedKey(lastFour: string): string {
  return `${PREFIX}…${lastFour}`
}
