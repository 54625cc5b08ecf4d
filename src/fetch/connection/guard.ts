import { networkInterfaces } from 'node:os'

import { formatAddress, parseAddress } from '../../core/net/address.ts'
import {
  decideEgress,
  refuseByName,
  type EgressDecision,
  type EgressRules,
  type EgressTarget,
} from '../../core/net/egress.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'
import { areDescriptorsExhausted, noDescriptors } from './descriptors.ts'
import type { HostResolver, Resolution } from './resolver.ts'

export type ResolvedDecision = EgressDecision & { resolvedBy?: Resolution['by'] }

/**
 * Decides every outgoing connection. The guard resolves a name once and decides once. The socket then uses the
 * decision, so the address that was checked is exactly the address that is connected to.
 */
export type Guard = ReturnType<typeof createGuard>

/** How long the list of network interfaces is cached. Reading it takes 0.1 ms, longer than the rest of a decision. */
const INTERFACES_FRESH_MS = 5_000

export interface GuardDeps {
  resolver: HostResolver
  settings: CurrentSettings<'allow'>
  /**
   * The ports this process listens on. Called for each decision, because port 0 gets its number when the server
   * listens.
   */
  ownPorts: () => readonly number[]
  interfaces?: typeof networkInterfaces
  /** In milliseconds, from any start. */
  now?: () => number
}

export function createGuard(deps: GuardDeps) {
  const { resolver, settings, ownPorts, interfaces = networkInterfaces, now = () => performance.now() } = deps
  let ownAddresses: string[] = []
  let readAtMs = -Infinity

  const rules = (publicOnly: boolean): EgressRules => {
    if (now() - readAtMs > INTERFACES_FRESH_MS) {
      ownAddresses = addressesOf(interfaces)
      readAtMs = now()
    }
    return { allow: publicOnly ? [] : settings().allow, own: { addresses: ownAddresses, ports: ownPorts() } }
  }

  return {
    /**
     * @param publicOnly whether private destinations are refused even if the operator allows them
     * @throws FetchError `host_not_found` or `overloaded`, or the signal's reason
     */
    async decide(target: EgressTarget, signal: AbortSignal, publicOnly: boolean): Promise<ResolvedDecision> {
      const refusal = refuseByName(target, rules(publicOnly))
      if (refusal !== null) return { allowed: false, refusal, checked: [] }
      const { addresses, by } = await resolver.resolve(target.host, signal)
      return { ...decideEgress(target, addresses, rules(publicOnly)), resolvedBy: by }
    },
  }
}

function addressesOf(interfaces: typeof networkInterfaces): string[] {
  try {
    const own = Object.values(interfaces()).flat()
    const addresses = own.map((one) => parseAddress(one?.address ?? ''))
    return addresses.filter((address) => address !== null).map(formatAddress)
  } catch (error) {
    // Listing the interfaces needs a file descriptor.
    if (areDescriptorsExhausted()) throw noDescriptors(error)
    throw error
  }
}
