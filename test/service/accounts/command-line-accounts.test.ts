import { describe, expect, test } from 'bun:test'

import { isApiKey } from '../../../src/core/accounts/api-key.ts'
import { DEFAULT_PLANS } from '../../../src/core/plan.ts'
import { testAccounts } from '../test-accounts.ts'
import { openTemporary } from '../../store/temporary-sqlite.ts'

function setUp() {
  const stores = openTemporary({ maxResults: 10 })
  let ids = 0
  const accounts = testAccounts(stores, DEFAULT_PLANS, { now: () => 1_000 + ids, newId: () => `id${ids++}` })
  return { ...accounts, users: stores.users, log: stores.audit }
}

describe('createKey', () => {
  test('creates the user too, on the Free plan', async () => {
    const accounts = setUp()
    const { key } = await accounts.createKey({ email: 'you@example.com' })
    expect(isApiKey(key)).toBe(true)
    expect(await accounts.listUsers()).toMatchObject([{ email: 'you@example.com', plan: 'free' }])
    expect(await accounts.listKeys()).toMatchObject([
      { name: 'default', lastFour: key.slice(-4), email: 'you@example.com' },
    ])
  })

  test('keeps the plan of an existing user, unless another is given', async () => {
    const accounts = setUp()
    await accounts.createKey({ email: 'you@example.com', plan: 'starter' })
    await accounts.createKey({ email: 'you@example.com' })
    expect(await accounts.listUsers()).toMatchObject([{ plan: 'starter' }])
    await accounts.createKey({ email: 'you@example.com', plan: 'growth' })
    expect(await accounts.listUsers()).toMatchObject([{ plan: 'growth' }])
  })

  test('fails at the limit of the plan, and a downgrade deactivates no keys', async () => {
    const accounts = setUp()
    for (let i = 0; i < 5; i++) await accounts.createKey({ email: 'you@example.com', plan: 'starter' })
    await expect(accounts.createKey({ email: 'you@example.com' })).rejects.toMatchObject({ kind: 'key_limit' })
    await accounts.setPlan('you@example.com', 'free')
    expect((await accounts.listKeys()).filter((key) => key.deactivatedAtMs === null)).toHaveLength(5)
    await expect(accounts.createKey({ email: 'you@example.com' })).rejects.toMatchObject({
      message:
        'you@example.com already has the maximum of 2 active keys on the Free plan: deactivate one or change the plan',
    })
  })

  test('is refused for a suspended user', async () => {
    const accounts = setUp()
    await accounts.createKey({ email: 'you@example.com' })
    const { id } = (await accounts.listUsers())[0]!
    await accounts.users.suspend(id, 1)
    const making = accounts.createKey({ email: 'you@example.com', plan: 'growth' })
    await expect(making).rejects.toMatchObject({ kind: 'forbidden', message: expect.stringContaining('is suspended') })
    expect(await accounts.listKeys()).toHaveLength(1)
    expect(await accounts.listUsers()).toMatchObject([{ plan: 'free' }])
  })
})

test('unknown users and keys are reported', async () => {
  const accounts = setUp()
  const missing = { kind: 'not_found', message: 'No key has the id nothing' }
  await expect(accounts.deactivateKey('nothing')).rejects.toMatchObject(missing)
  await expect(accounts.updateKey('nothing', { name: 'n' })).rejects.toMatchObject(missing)
  await expect(accounts.rotateKey('nothing', 0)).rejects.toMatchObject(missing)
  await expect(accounts.setPlan('nobody@example.com', 'free')).rejects.toMatchObject({ kind: 'not_found' })
})

test('every action is in the audit log, without an actor', async () => {
  const accounts = setUp()
  const { id, key } = await accounts.createKey({ email: 'jo@example.com' })
  await accounts.setPlan('jo@example.com', 'growth')
  await accounts.updateKey(id, { name: 'renamed' })
  const rotated = await accounts.rotateKey(id, 0)
  await accounts.deactivateKey(rotated.id)
  await accounts.createSignInLink('ann@example.com')
  const { entries } = await accounts.log.list({ offset: 0, limit: 10 })
  const [key4, next4] = [`urlmeta_live_…${key.slice(-4)}`, `urlmeta_live_…${rotated.key.slice(-4)}`]
  expect(entries.map(({ actor, action, email, detail }) => [actor, action, email, detail])).toEqual([
    [null, 'link_created', 'ann@example.com', ''],
    [null, 'key_deactivated', 'jo@example.com', next4],
    [null, 'key_rotated', 'jo@example.com', `${key4} → ${next4}`],
    [null, 'key_updated', 'jo@example.com', key4],
    [null, 'plan_changed', 'jo@example.com', 'Growth'],
    [null, 'key_created', 'jo@example.com', key4],
  ])
})

test.each([
  ['free', ['key_created']],
  ['growth', ['key_created', 'plan_changed']],
] as const)(
  'creating the first key of a user with the plan %s is recorded as a plan change unless it is the default',
  async (plan, actions) => {
    const accounts = setUp()
    await accounts.createKey({ email: 'jo@example.com', plan })
    const { entries } = await accounts.log.list({ offset: 0, limit: 10 })
    expect(entries.map(({ action }) => action)).toEqual([...actions])
  },
)

test('actions that change nothing are not in the audit log', async () => {
  const accounts = setUp()
  const { id } = await accounts.createKey({ email: 'jo@example.com' })
  for (const _ of [1, 2]) {
    await accounts.setPlan('jo@example.com', 'growth')
    await accounts.deactivateKey(id)
  }
  const { entries } = await accounts.log.list({ offset: 0, limit: 10 })
  expect(entries.map(({ action }) => action)).toEqual(['key_deactivated', 'plan_changed', 'key_created'])
})

test('a sign-in link is listed among the actions on its user', async () => {
  const accounts = setUp()
  await accounts.createKey({ email: 'jo@example.com' })
  await accounts.createSignInLink('jo@example.com')
  const { id } = (await accounts.listUsers())[0]!
  const { entries } = await accounts.log.list({ userId: id, offset: 0, limit: 10 })
  expect(entries.map(({ action }) => action)).toEqual(['link_created', 'key_created'])
})
