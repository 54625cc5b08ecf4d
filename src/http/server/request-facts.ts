import type { AccessLog } from './access-log.ts'
import type { ClientOf, PeerOf } from './remote-addresses.ts'

/** The log line of each request, and the addresses that it came from. */
export interface RequestFacts {
  accessLog: AccessLog
  peerOf: PeerOf
  clientOf: ClientOf
}
