import type { FetchTrace, Hop } from './trace.ts'

/**
 * The trace as shown to users who are not operators: without private addresses, which would disclose the network that
 * the service runs in.
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
  // The reason of a refusal would disclose the kind of the address.
  delete copy.refusal
  if (copy.keptConnectionTo !== undefined && !shown.has(copy.keptConnectionTo)) delete copy.keptConnectionTo
  return copy
}
