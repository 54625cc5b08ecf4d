import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'

import { FetchError } from '../core/errors.ts'
import { errorCode } from './failure.ts'

/** The detail of failures for want of a file descriptor, in the log. */
export const NO_DESCRIPTORS = 'no file descriptors'

/**
 * Whether this process or system has no file descriptor left. Bun reports the sockets that then cannot be opened as
 * refused connections, so a failed connection or DNS query is checked with this before the site gets the blame.
 */
export function areDescriptorsExhausted(): boolean {
  try {
    closeSync(openSync(devNull, 'r'))
    return false
  } catch (error) {
    return ['EMFILE', 'ENFILE'].includes(errorCode(error))
  }
}

/** The failure of a request that found no file descriptor. */
export function noDescriptors(cause: unknown): FetchError {
  return new FetchError('overloaded', 'too many requests are waiting', { cause, detail: NO_DESCRIPTORS })
}
