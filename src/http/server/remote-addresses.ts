import type { Address } from '../../core/net/address.ts'

/** The address of the peer that sent a request; null when it is unknown, as without a server in some tests. */
export type PeerOf = (request: Request) => Address | null

/** The address of the client that sent a request, which may have passed trusted proxies; null when it is unknown. */
export type ClientOf = (request: Request) => Address | null
