import { join } from 'node:path'

import type { Config } from '../config.ts'
import { AppError, messageOf } from '../core/errors.ts'
import { openSecretFile } from '../store/secret-file.ts'

const SECRET_FILE = 'secret'

/** The configured secret; without one, the file in the data directory, which must exist. @throws AppError */
export function openSecret({ dataDir, secret }: Config): Uint8Array {
  if (secret !== null) return Buffer.from(secret, 'hex')
  try {
    return openSecretFile(join(dataDir, SECRET_FILE))
  } catch (cause) {
    throw new AppError('internal', `Cannot use the secret in ${dataDir} (URLMETA_DATA_DIR): ${messageOf(cause)}`, {
      cause,
    })
  }
}
