import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'

import { FetchError } from '../../core/errors.ts'
import { errorCode } from '../response/failure.ts'

/** The detail in the log when no file descriptor was available. */
export const NO_DESCRIPTORS = 'no file descriptors'

/**
 * Whether this process or system has no file descriptors left. Bun reports sockets that cannot be opened as refused
 * connections, so this is checked after a failed connection or DNS query; otherwise the site would be blamed.
 */
export function areDescriptorsExhausted(): boolean {
  try {
    closeSync(openSync(devNull, 'r'))
    return false
  } catch (error) {
    return ['EMFILE', 'ENFILE'].includes(errorCode(error))
  }
}

export function noDescriptors(cause: unknown): FetchError {
  return new FetchError('overloaded', { cause, detail: NO_DESCRIPTORS })
}
