import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'

import { restrictToOwner } from './private-file.ts'

/** 256 bits, the length of the hash that it keys. */
const SECRET_BYTES = 32

/**
 * The service's own secret, made at the first start: whoever has it can forge the tokens of forms and the links of
 * pictures, though not a session.
 * @throws when the file cannot be read or holds something else
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
  // Written whole before it has its name: of two processes that start at the same moment, both read the same one.
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
