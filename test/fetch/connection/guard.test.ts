import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'

import { expect, test } from 'bun:test'

import { parseAllowRule } from '../../../src/core/net/egress.ts'
import { createGuard } from '../../../src/fetch/connection/guard.ts'
import { settingsOf } from '../../settings.ts'

const own = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4')!.address

test.each<
  [name: string, host: string, port: number, of: { publicOnly?: boolean; resolves?: string }, expected: object]
>([
  ['a public address', 'site.test', 443, {}, { allowed: true, resolvedBy: 'dns' }],
  ['a private address', 'site.test', 443, { resolves: '10.0.0.1' }, { allowed: false, resolvedBy: 'dns' }],
  ['an allowed name', 'box.internal', 80, { resolves: '10.0.0.1' }, { allowed: true, resolvedBy: 'dns' }],
  ['an allowed name, for public destinations only', 'box.internal', 80, { publicOnly: true }, { allowed: false }],
  ['a local name, which is not resolved', 'other.internal', 80, {}, { allowed: false, checked: [] }],
  ['an own port', 'site.test', 3000, { resolves: own }, { allowed: false }],
])(
  'the guard decides about %s',
  async (_, host, port, { publicOnly = false, resolves = '93.184.215.14' }, expected) => {
    const resolved: string[] = []
    const guard = createGuard({
      resolver: {
        async resolve(name) {
          resolved.push(name)
          return { addresses: [resolves], by: 'dns' }
        },
      },
      settings: settingsOf({ allow: [parseAllowRule('box.internal')!] }),
      ownPorts: () => [3000],
    })
    const decision = await guard.decide({ host, port }, AbortSignal.timeout(1_000), publicOnly)
    expect(decision).toMatchObject(expected)
    expect(resolved).toEqual('resolvedBy' in decision ? [host] : [])
  },
)

test('an address that this machine gets later is one of its own after five seconds', async () => {
  const address = '203.0.113.7'
  let nowMs = 0
  let addresses: string[] = []
  const guard = createGuard({
    resolver: { resolve: async () => ({ addresses: [address], by: 'dns' }) },
    settings: settingsOf({ allow: [parseAllowRule(address)!] }),
    ownPorts: () => [3000],
    interfaces: () => ({ eth0: addresses.map((one) => ({ address: one }) as NetworkInterfaceInfo) }),
    now: () => nowMs,
  })
  const isAllowed = async () =>
    (await guard.decide({ host: 'site.test', port: 3000 }, AbortSignal.timeout(1_000), false)).allowed
  expect(await isAllowed()).toBe(true)
  addresses = [address]
  nowMs = 5_000
  expect(await isAllowed()).toBe(true)
  nowMs = 5_001
  expect(await isAllowed()).toBe(false)
})
