import { rootCertificates } from 'node:tls'

/** A request that takes longer is as good as none; in milliseconds. */
const REACH_MS = 8_000

/** A health endpoint answers in a few bytes; whatever is longer is not ours. */
const MAX_TEXT_CHARACTERS = 1_000

export interface Reached {
  status: number
  headers: Headers
  /** The beginning of the body. */
  text: string
}

/**
 * Asks a place that the operator has named, such as the public address of this service: the egress guard, which is about
 * pages that strangers name, has no say. Redirects are not followed; any status is an answer.
 */
export async function reach(url: string, method: 'GET' | 'HEAD' = 'GET'): Promise<Reached> {
  const response = await fetch(url, { method, redirect: 'manual', signal: AbortSignal.timeout(REACH_MS) })
  const text = (await response.text()).slice(0, MAX_TEXT_CHARACTERS)
  return { status: response.status, headers: response.headers, text }
}

/** How many certificate authorities are trusted by what is built in. */
export const BUILT_IN_AUTHORITIES = rootCertificates.length
