import type { Address } from '../../core/net/address.ts'

/** The address of the peer that sent a request; null when it is unknown, for example in tests without a server. */
export type PeerOf = (request: Request) => Address | null

/** The address of the client that sent a request, also through trusted proxies; null when it is unknown. */
export type ClientOf = (request: Request) => Address | null
