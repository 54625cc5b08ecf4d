import { join } from 'node:path'

import type { FixedConfig } from '../../config.ts'
import { AppError, messageOf } from '../../core/errors.ts'
import { openSecretFile } from '../../store/files/secret-file.ts'
import { createDataDir } from './data-dir.ts'

export const SECRET_FILE = 'secret'

/**
 * The configured secret, or the secret in the data directory, which is created if it does not exist.
 * @throws AppError
 */
export function openSecret(config: FixedConfig): Uint8Array {
  const { dataDir, secret } = config
  if (secret !== null) return new TextEncoder().encode(secret)
  try {
    createDataDir(config)
    return openSecretFile(join(dataDir, SECRET_FILE))
  } catch (cause) {
    const why = messageOf(cause)
    throw new AppError('internal', `Cannot use the secret in ${dataDir} (URLMETA_DATA_DIR): ${why}`, { cause })
  }
}
