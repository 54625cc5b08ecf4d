import type { FetchTrace, Hop } from './trace.ts'

/**
 * The way to a page as those may see it who do not run the service: without addresses that are not public, which would
 * tell of the network that it stands in.
 */
export function publicTrace(trace: FetchTrace): FetchTrace {
  const { rendering, ...rest } = trace
  const hops = trace.hops.map(publicHop)
  return { ...rest, hops, ...(rendering && { rendering: { ...rendering, refused: [] } }) }
}

function publicHop(hop: Hop): Hop {
  const addresses = hop.addresses.filter(({ verdict }) => verdict === 'public')
  const shown = new Set(addresses.map(({ address }) => address))
  const copy = { ...hop, addresses, attempts: hop.attempts.filter(({ address }) => shown.has(address)) }
  // Why an address is refused tells what it is.
  delete copy.refusal
  return copy
}
