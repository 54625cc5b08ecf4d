import type { FetchTrace, Hop } from './trace.ts'

/** A copy without private addresses, which would disclose the service's network, for users who are not operators. */
export function publicTrace(trace: FetchTrace): FetchTrace {
  const { rendering, oembed, ...rest } = trace
  const hops = trace.hops.map(publicHop)
  return {
    ...rest,
    hops,
    ...(oembed && { oembed: { ...oembed, hops: oembed.hops.map(publicHop) } }),
    ...(rendering && { rendering: { ...rendering, refused: [] } }),
  }
}

function publicHop(hop: Hop): Hop {
  const addresses = hop.addresses.filter(({ verdict }) => verdict === 'public')
  const publicAddresses = new Set(addresses.map(({ address }) => address))
  const copy = { ...hop, addresses, attempts: hop.attempts.filter(({ address }) => publicAddresses.has(address)) }
  // The reason of a refusal would disclose the kind of the address.
  delete copy.refusal
  if (copy.keptConnectionTo !== undefined && !publicAddresses.has(copy.keptConnectionTo)) delete copy.keptConnectionTo
  return copy
}
