import { networkInterfaces } from 'node:os'

import {
  decideEgress,
  refuseByName,
  type AllowRule,
  type EgressDecision,
  type EgressRules,
  type EgressTarget,
} from '../core/egress.ts'
import type { HostResolver, Resolution } from './resolver.ts'

/** A decision and how its addresses were found. */
export type Passage = EgressDecision & { resolvedBy?: Resolution['by'] }

/**
 * What every byte that leaves goes through. It resolves once and decides once; the decision is then carried to the
 * socket, so that the address that was checked is exactly the one that is connected to.
 */
export interface Guard {
  /** @throws FetchError `host_not_found`, or the signal's reason */
  decide(target: EgressTarget, signal: AbortSignal): Promise<Passage>
}

/** Reading the interfaces takes 0.1 ms, longer than the whole decision; an address that is new is known soon enough. */
const INTERFACES_FRESH_MS = 5_000

export interface GuardParts {
  resolver: HostResolver
  allow: readonly AllowRule[]
  /** The ports this process listens on; asked each time, since port 0 is known only once it listens. */
  ownPorts: () => readonly number[]
}

export function createGuard({ resolver, allow, ownPorts }: GuardParts): Guard {
  let ownAddresses: string[] = []
  let readAtMs = -Infinity

  const rules = (): EgressRules => {
    if (performance.now() - readAtMs > INTERFACES_FRESH_MS) {
      ownAddresses = interfaceAddresses()
      readAtMs = performance.now()
    }
    return { allow, own: { addresses: ownAddresses, ports: ownPorts() } }
  }

  return {
    async decide(target, signal) {
      const refusal = refuseByName(target, rules())
      if (refusal !== null) return { allowed: false, refusal, judged: [] }
      const { addresses, by } = await resolver.resolve(target.host, signal)
      return { ...decideEgress(target, addresses, rules()), resolvedBy: by }
    },
  }
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? [])
}
