/** Finds the address of the peer that sent a request. Null when there is no server, as in some tests. */
export type RemoteAddresses = { requestIP(request: Request): { address: string } | null } | null
