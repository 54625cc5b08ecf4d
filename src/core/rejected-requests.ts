/** Requests with one key that were rejected since the last count, at least one. */
export interface RejectedRequests {
  keyId: string
  userId: string
  count: number
  firstAtMs: number
  lastAtMs: number
}
