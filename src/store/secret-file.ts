import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'

import { restrictToOwner } from './private-file.ts'

/** 256 bits, the length of the HMAC's hash. */
const SECRET_BYTES = 32

/**
 * Reads the instance secret, or creates it at the first start. Whoever has it can forge CSRF tokens and image links, but
 * no sessions.
 * @throws when the file cannot be read or has other content
 */
export function openSecretFile(path: string): Uint8Array {
  const secret = Buffer.from(readOrMake(path), 'hex')
  restrictToOwner(path)
  if (secret.length !== SECRET_BYTES) throw new Error(`${path} is not a secret of urlmeta: remove it to get a new one`)
  return secret
}

function readOrMake(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  // Written completely before it is linked to its name, so that two processes starting together read the same secret.
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, randomBytes(SECRET_BYTES).toString('hex'), { mode: 0o600 })
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
  return readFileSync(path, 'utf8').trim()
}
