import { randomBytes } from 'node:crypto'
import { linkSync, unlinkSync, writeFileSync } from 'node:fs'

import { restrictToOwner } from './private-file.ts'
import { readIfExists } from './read-if-exists.ts'

/** 256 bits, the output length of the HMAC; stored in hex. */
const SECRET_BYTES = 32
const SECRET = new RegExp(`^[0-9a-f]{${2 * SECRET_BYTES}}$`)

/**
 * Reads the instance secret, or creates it at the first start. An attacker who has the secret can forge CSRF tokens and
 * image links, but not sessions. The secret is the text of the file, so URLMETA_SECRET can be set to that text.
 * @throws if the file cannot be read or does not contain a secret
 */
export function openSecretFile(path: string): Uint8Array {
  const secret = readSecretFile(path) ?? createSecretFile(path)
  restrictToOwner(path)
  return new TextEncoder().encode(secret)
}

/** The text of the file; null if there is no file. @throws if the file cannot be read or does not contain a secret */
export function readSecretFile(path: string): string | null {
  const secret = readIfExists(path)?.trim() ?? null
  if (secret !== null && !SECRET.test(secret))
    throw new Error(`${path} is not a urlmeta secret: delete it to create a new one`)
  return secret
}

/** Links the complete file to its name, so that two processes that start at the same time read the same secret. */
function createSecretFile(path: string): string {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, randomBytes(SECRET_BYTES).toString('hex'), { mode: 0o600 })
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
  return readSecretFile(path)!
}
