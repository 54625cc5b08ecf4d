import { expect, test } from 'bun:test'

import type { Tickets } from '../../../src/core/accounts/tickets.ts'
import { createAudit } from '../../../src/service/accounts/audit.ts'
import { createDeletedAccounts } from '../../../src/service/accounts/deleted-accounts.ts'
import { createSignInLinks } from '../../../src/service/accounts/sign-in-links.ts'
import { memoryRateLimiter } from '../../../src/store/memory/rate-limiter.ts'
import { openTemporary } from '../../store/temporary-sqlite.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const EMAIL = 'jo@example.com'
const ACCOUNT = { id: 'u1', email: EMAIL, plan: 'free', createdAtMs: NOON } as const

/** `onRedeem` runs before a ticket is redeemed, as another request could. */
async function setUp(onRedeem = async () => {}) {
  const { users, usage, tickets: stored } = openTemporary({ maxResults: 1 })
  let ids = 1
  const system = {
    now: () => NOON,
    newId: () => `u${++ids}`,
    randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
  }
  const tickets: Tickets = {
    ...stored,
    redeem: async (...args) => (await onRedeem(), await stored.redeem(...args)),
  }
  const secret = new Uint8Array(32)
  const deletedAccounts = createDeletedAccounts({ usage, limiter: memoryRateLimiter(), secret, ...system })
  const links = createSignInLinks({ tickets, users, deletedAccounts, operators: [], ...system })
  const audit = createAudit(system)
  return {
    users,
    usage,
    deletedAccounts,
    links,
    link: async () => (await links.create(EMAIL, audit(null, 'link_created', null))).token,
    invitation: async () => (await links.invite(EMAIL, 'op@example.com', audit(null, 'invited', null))).token,
  }
}

test('an invitation does not sign in to an account that was created while it was redeemed', async () => {
  const world: Awaited<ReturnType<typeof setUp>> = await setUp(async () => void (await world.users.ensure(ACCOUNT)))
  const token = await world.invitation()
  await expect(world.links.redeem(token, 'invitation_invalid')).rejects.toMatchObject({ problem: 'invitation_invalid' })
  expect((await world.users.findByEmail(EMAIL))?.id).toBe('u1')
})

test('a link of a suspended account is refused, and works when the suspension is lifted', async () => {
  const { users, links, link } = await setUp()
  await users.ensure(ACCOUNT)
  const token = await link()
  await users.suspend('u1', NOON)
  await expect(links.redeem(token, 'link_invalid')).rejects.toMatchObject({ problem: 'suspended' })
  await users.resume('u1')
  expect(await links.redeem(token, 'link_invalid')).toEqual({ userId: 'u1' })
})

test.each(['link', 'invitation'] as const)('an account created by an %s has the usage of a deleted one', async (by) => {
  const world = await setUp()
  const request = { unit: { userId: 'u1', keyId: null, month: '2026-11' }, limit: 99, chargedAtMs: NOON }
  await world.usage.apply({ requests: [request, request, request], settlements: [] })
  await world.deletedAccounts.archive({ userId: 'u1', email: EMAIL, identities: [] })
  const { userId } = await world.links.redeem(await world[by](), `${by}_invalid`)
  expect((await world.usage.used([userId], '2026-11')).get(userId)).toBe(3)
})
