import { join } from 'node:path'

import type { Config } from '../config.ts'
import { AppError, messageOf } from '../core/errors.ts'
import { openSecretFile } from '../store/secret-file.ts'

const SECRET_FILE = 'secret'

/** Reads or creates the secret in the data directory, which must exist. @throws AppError */
export function openSecret({ dataDir }: Config): Uint8Array {
  try {
    return openSecretFile(join(dataDir, SECRET_FILE))
  } catch (cause) {
    throw new AppError('internal', `Cannot use the secret in ${dataDir} (URLMETA_DATA_DIR): ${messageOf(cause)}`, {
      cause,
    })
  }
}
