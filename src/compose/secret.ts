import { join } from 'node:path'

import type { Config } from '../config.ts'
import { AppError, messageOf } from '../core/errors.ts'
import { openSecretFile } from '../store/secret-file.ts'

const SECRET_FILE = 'secret'

/** The secret in the data directory, which exists by now. @throws AppError when it cannot be read or made */
export function openSecret({ dataDir }: Config): Uint8Array {
  try {
    return openSecretFile(join(dataDir, SECRET_FILE))
  } catch (cause) {
    throw new AppError('internal', `Cannot use the secret in ${dataDir} (URLMETA_DATA_DIR): ${messageOf(cause)}`, {
      cause,
    })
  }
}
