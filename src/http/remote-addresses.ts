/** Where a request comes from, as the server tells; it is null when there is no server, as in some tests. */
export type RemoteAddresses = { requestIP(request: Request): { address: string } | null } | null
