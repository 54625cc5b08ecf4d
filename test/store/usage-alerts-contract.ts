import { describe, expect, test } from 'bun:test'

import type { Keys, Users } from '../../src/core/accounts/ports.ts'
import { UNRESTRICTED } from '../../src/core/accounts/key-settings.ts'
import type { UsageAlert, UsageAlerts } from '../../src/core/usage/alerts.ts'
import type { Open } from './open.ts'
import { NO_OWN_LIMITS } from '../own-limits.ts'

export interface UsageAlertStores {
  users: Users
  keys: Keys
  alerts: UsageAlerts
}

const webhook = { userId: 'u1', url: 'https://a.example/', secret: 's1', createdAtMs: 5 }

const alertOf = (id: string, of: Partial<UsageAlert> = {}): UsageAlert => ({
  id,
  userId: 'u1',
  month: '2026-11',
  threshold: 80,
  used: 8,
  limit: 10,
  key: null,
  createdAtMs: 100,
  ...of,
})

/** Takes all due alerts: each call takes one of each user. */
async function takeAll(alerts: UsageAlerts, nowMs: number, leaseUntilMs: number) {
  const taken = []
  for (;;) {
    const due = await alerts.takeDue(nowMs, leaseUntilMs, 9)
    if (due.length === 0) return taken
    taken.push(...due)
  }
}

/** The contract of every implementation of `UsageAlerts`. */
export const usageAlertsContract = (name: string, openStores: Open<UsageAlertStores>) =>
  describe(`UsageAlerts: ${name}`, () => {
    /** The stores with three users; the first has a webhook. */
    async function open() {
      const stores = await openStores()
      for (const id of ['u1', 'u2', 'u3']) {
        await stores.users.ensure({ id, email: `${id}@example.com`, plan: 'free', createdAtMs: 1 })
      }
      await stores.alerts.setWebhook(webhook)
      return stores
    }

    test('a webhook is stored once per user; a new URL keeps the secret', async () => {
      await using stores = await open()
      expect(await stores.alerts.findWebhook('u1')).toEqual(webhook)
      expect(await stores.alerts.findWebhook('u2')).toBeNull()
      await stores.alerts.setWebhook({ userId: 'u1', url: 'https://b.example/', secret: 's2', createdAtMs: 9 })
      expect(await stores.alerts.findWebhook('u1')).toEqual({ ...webhook, url: 'https://b.example/' })
      expect(await stores.alerts.removeWebhook('u1')).toBe(true)
      expect(await stores.alerts.removeWebhook('u1')).toBe(false)
      expect(await stores.alerts.findWebhook('u1')).toBeNull()
    })

    test('watched users are those with a webhook who are not suspended, in pages', async () => {
      await using stores = await open()
      await stores.alerts.setWebhook({ ...webhook, userId: 'u3' })
      expect(await stores.alerts.watchedUsers('', 1)).toEqual([{ userId: 'u1', plan: 'free', ...NO_OWN_LIMITS }])
      expect(await stores.alerts.watchedUsers('u1', 9)).toEqual([{ userId: 'u3', plan: 'free', ...NO_OWN_LIMITS }])
      await stores.users.setPlan('ann@example.com', { perMonth: 5 })
      await stores.users.suspend('u3', 1)
      expect(await stores.alerts.watchedUsers('u1', 9)).toEqual([])
    })

    test('an alert is recorded once for each user, month and threshold', async () => {
      await using stores = await open()
      expect(await stores.alerts.record(alertOf('a'))).toBe(true)
      expect(await stores.alerts.record(alertOf('b'))).toBe(false)
      expect(await stores.alerts.record(alertOf('c', { threshold: 100 }))).toBe(true)
      expect(await stores.alerts.record(alertOf('d', { month: '2026-12' }))).toBe(true)
      expect(await stores.alerts.record(alertOf('e', { userId: 'u2' }))).toBe(true)
      expect((await stores.alerts.list('u1', 2)).map(({ id }) => id)).toEqual(['d', 'c'])
      expect(await stores.alerts.list('u1', 9)).toHaveLength(3)
    })

    test('an expiring key is listed until it is reported, once for each expiry', async () => {
      await using stores = await open()
      const NOW_MS = 1_000
      await stores.alerts.setWebhook({ ...webhook, userId: 'u3' })
      await stores.users.suspend('u3', 1)
      for (const [id, userId, expiresAtMs] of [
        ['never', 'u1', null],
        ['now', 'u1', NOW_MS],
        ['later', 'u1', NOW_MS + 51],
        ['deactivated', 'u1', NOW_MS + 20],
        ['replaced', 'u1', NOW_MS + 20],
        ['without a webhook', 'u2', NOW_MS + 20],
        ['suspended', 'u3', NOW_MS + 20],
        ['last', 'u1', NOW_MS + 50],
        ['first', 'u1', NOW_MS + 1],
      ] as const) {
        const key = { ...UNRESTRICTED, id, userId, name: `key ${id}`, hash: id, lastFour: '0001', createdAtMs: 1 }
        expect(await stores.keys.create({ ...key, expiresAtMs }, 99)).toBe('created')
      }
      await stores.keys.deactivate('u1', 'deactivated', 1)
      const next = { ...UNRESTRICTED, id: 'next', userId: 'u1', name: 'next', hash: 'next', lastFour: '0002' }
      await stores.keys.rotate('replaced', { ...next, createdAtMs: 2 }, NOW_MS + 20)

      const expiring = async (limit = 9) =>
        (await stores.alerts.expiringKeys(NOW_MS, NOW_MS + 50, limit)).map(({ id }) => id)
      expect(await expiring()).toEqual(['first', 'last'])
      expect(await expiring(1)).toEqual(['first'])
      const key = { id: 'first', name: 'key first', expiresAtMs: NOW_MS + 1 }
      const alert = alertOf('a', { threshold: 0, used: 0, limit: 0, key })
      expect(await stores.alerts.record(alert)).toBe(true)
      expect(await stores.alerts.record({ ...alert, id: 'b' })).toBe(false)
      expect(await expiring()).toEqual(['last'])
      expect(await stores.alerts.takeDue(100, 500, 9)).toMatchObject([{ id: 'a', key }])
      expect(await stores.alerts.list('u1', 9)).toMatchObject([{ id: 'a', key }])
      await stores.keys.update('u1', 'first', { expiresAtMs: NOW_MS + 30 }, 1)
      expect(await expiring()).toEqual(['first', 'last'])
    })

    test('a key with requests that were rejected since the webhook was saved is listed until it is reported', async () => {
      await using stores = await open()
      const { alerts, keys, users } = stores
      await alerts.removeWebhook('u1')
      await alerts.setWebhook({ ...webhook, createdAtMs: 100 })
      await alerts.setWebhook({ ...webhook, userId: 'u3', createdAtMs: 100 })
      await users.suspend('u3', 1)
      for (const [id, userId, atMs] of [
        ['unused', 'u1', null],
        ['before', 'u1', 99],
        ['later', 'u1', 101],
        ['first', 'u1', 100],
        ['without a webhook', 'u2', 100],
        ['suspended', 'u3', 100],
      ] as const) {
        const key = { ...UNRESTRICTED, id, userId, name: id, hash: id, lastFour: '0001', createdAtMs: 1 }
        await keys.create({ ...key, expiresAtMs: { first: 60, later: 40 }[id as string] ?? null }, 99)
        await keys.deactivate(userId, id, 50)
        const row = { keyId: id, userId, count: 2 }
        if (atMs !== null) await keys.countRejected([{ ...row, firstAtMs: atMs, lastAtMs: atMs }])
      }
      const rejected = async (limit = 9) => (await alerts.rejectedKeys(limit)).map(({ id }) => id)
      expect(await rejected()).toEqual(['first', 'later'])
      expect(await rejected(1)).toEqual(['first'])
      // The earlier of deactivation and expiry.
      expect((await alerts.rejectedKeys(9)).map(({ expiresAtMs }) => expiresAtMs)).toEqual([50, 40])
      const key = { id: 'first', name: 'first', expiresAtMs: 50 }
      // An alert before its expiry is another one.
      expect(await alerts.record(alertOf('a', { threshold: 0, used: 0, limit: 0, key }))).toBe(true)
      expect(await rejected()).toEqual(['first', 'later'])
      expect(await alerts.record(alertOf('b', { threshold: 100, used: 2, limit: 0, key }))).toBe(true)
      expect(await alerts.record(alertOf('c', { threshold: 100, used: 9, limit: 0, key }))).toBe(false)
      expect(await rejected()).toEqual(['later'])
    })

    test('a due alert is taken by one caller, and again after its lease has expired', async () => {
      await using stores = await open()
      await stores.alerts.record(alertOf('a'))
      expect(await stores.alerts.takeDue(99, 500, 9)).toEqual([])
      const [first, second] = await Promise.all([
        stores.alerts.takeDue(100, 500, 9),
        stores.alerts.takeDue(100, 500, 9),
      ])
      expect([...first, ...second]).toEqual([{ ...alertOf('a'), attempts: 1, url: webhook.url, secret: 's1' }])
      expect(await stores.alerts.takeDue(499, 900, 9)).toEqual([])
      expect(await stores.alerts.takeDue(500, 900, 9)).toMatchObject([{ id: 'a', attempts: 2 }])
    })

    test('the oldest due alerts are taken first, up to the limit', async () => {
      await using stores = await open()
      await stores.alerts.record(alertOf('late', { createdAtMs: 120, threshold: 100 }))
      await stores.alerts.record(alertOf('early', { createdAtMs: 110 }))
      expect(await stores.alerts.takeDue(200, 500, 1)).toMatchObject([{ id: 'early' }])
      expect(await stores.alerts.takeDue(200, 500, 1)).toMatchObject([{ id: 'late' }])
    })

    test.each([
      ['delivered', { deliveredAtMs: 150 }, { deliveredAtMs: 150, nextAttemptAtMs: null, error: null }, 0],
      ['to be retried', { error: 'e', retryAtMs: 300 }, { deliveredAtMs: null, nextAttemptAtMs: 300, error: 'e' }, 1],
      ['abandoned', { error: 'e', retryAtMs: null }, { deliveredAtMs: null, nextAttemptAtMs: null, error: 'e' }, 0],
    ])('an attempt: %s', async (_, outcome, delivery, taken) => {
      await using stores = await open()
      await stores.alerts.record(alertOf('a'))
      await stores.alerts.takeDue(100, 200, 9)
      await stores.alerts.settle({ id: 'a', attempts: 1 }, outcome)
      expect(await stores.alerts.list('u1', 9)).toEqual([
        { ...alertOf('a'), ...delivery, attempts: 1, lastAttemptAtMs: 100 },
      ])
      expect(await stores.alerts.takeDue(9_999, 10_000, 9)).toHaveLength(taken)
    })

    test.each([
      [
        'made due again',
        (alerts: UsageAlerts) => alerts.resend('u1', '2026-11', 150, 0),
        { nextAttemptAtMs: 150, attempts: 0 },
      ],
      ['given up', (alerts: UsageAlerts) => alerts.removeWebhook('u1'), { nextAttemptAtMs: null, attempts: 1 }],
      [
        'taken again after its lease',
        (alerts: UsageAlerts) => alerts.takeDue(200, 400, 9),
        { nextAttemptAtMs: 400, attempts: 2 },
      ],
    ])(
      'an alert that was %s during an attempt: its failure changes nothing, its success counts',
      async (_, change, delivery) => {
        await using stores = await open()
        await stores.alerts.record(alertOf('a'))
        await stores.alerts.takeDue(100, 200, 9)
        await change(stores.alerts)
        await stores.alerts.settle({ id: 'a', attempts: 1 }, { error: 'e', retryAtMs: 300 })
        expect(await stores.alerts.list('u1', 9)).toMatchObject([{ ...delivery, error: null }])
        await stores.alerts.settle({ id: 'a', attempts: 1 }, { deliveredAtMs: 250 })
        expect(await stores.alerts.list('u1', 9)).toMatchObject([{ deliveredAtMs: 250, nextAttemptAtMs: null }])
      },
    )

    test('without a webhook, no alert is due; removing it cancels pending alerts', async () => {
      await using stores = await open()
      await stores.alerts.record(alertOf('a'))
      await stores.alerts.removeWebhook('u1')
      await stores.alerts.setWebhook(webhook)
      expect(await stores.alerts.takeDue(9_999, 10_000, 9)).toEqual([])
      expect(await stores.alerts.record(alertOf('b'))).toBe(false)
    })

    test('one due alert of each user is taken at a time, and none of a suspended one', async () => {
      await using stores = await open()
      for (const userId of ['u2', 'u3']) await stores.alerts.setWebhook({ ...webhook, userId })
      for (const threshold of [80, 100] as const) {
        for (const userId of ['u1', 'u2', 'u3']) {
          await stores.alerts.record(alertOf(`${userId} ${threshold}`, { userId, threshold }))
        }
      }
      await stores.users.suspend('u3', 1)
      const idsDue = async () => (await stores.alerts.takeDue(100, 200, 9)).map(({ id }) => id).toSorted()
      expect(await idsDue()).toEqual(['u1 100', 'u2 100'])
      expect(await idsDue()).toEqual(['u1 80', 'u2 80'])
      expect(await idsDue()).toEqual([])
    })

    test('undelivered alerts of a month are due again, also those that were given up', async () => {
      await using stores = await open()
      await stores.alerts.record(alertOf('given up'))
      await stores.alerts.record(alertOf('delivered', { threshold: 100 }))
      await stores.alerts.record(alertOf('of another month', { month: '2026-10' }))
      await stores.alerts.record(alertOf('of the next month', { month: '2026-12' }))
      await stores.alerts.setWebhook({ ...webhook, userId: 'u2' })
      await stores.alerts.record(alertOf('of another user', { userId: 'u2' }))
      await takeAll(stores.alerts, 100, 200)
      for (const id of ['given up', 'of another month', 'of the next month', 'of another user']) {
        await stores.alerts.settle({ id, attempts: 1 }, { error: 'e', retryAtMs: null })
      }
      await stores.alerts.settle({ id: 'delivered', attempts: 1 }, { deliveredAtMs: 150 })
      await stores.alerts.resend('u1', '2026-11', 300, 200)
      expect(await stores.alerts.takeDue(299, 900, 9)).toEqual([])
      const due = await takeAll(stores.alerts, 300, 900)
      expect(due.map(({ id, attempts }) => [id, attempts]).toSorted()).toEqual([
        ['given up', 1],
        ['of the next month', 1],
      ])
    })

    test('an alert is due again only after a delay since its last attempt', async () => {
      await using stores = await open()
      await stores.alerts.record(alertOf('attempted'))
      await stores.alerts.takeDue(100, 200, 9)
      await stores.alerts.settle({ id: 'attempted', attempts: 1 }, { error: 'e', retryAtMs: null })
      await stores.alerts.record(alertOf('new', { threshold: 100 }))
      await stores.alerts.resend('u1', '2026-11', 150, 60)
      expect(await stores.alerts.takeDue(159, 900, 9)).toMatchObject([{ id: 'new' }])
      expect(await stores.alerts.takeDue(160, 900, 9)).toMatchObject([{ id: 'attempted', attempts: 1 }])
    })

    test('webhook and alerts are deleted with their user', async () => {
      await using stores = await open()
      await stores.alerts.record(alertOf('a'))
      await stores.users.remove('u1')
      expect(await stores.alerts.findWebhook('u1')).toBeNull()
      expect(await stores.alerts.list('u1', 9)).toEqual([])
      expect(await stores.alerts.takeDue(9_999, 10_000, 9)).toEqual([])
    })

    test('sweep deletes only older alerts', async () => {
      await using stores = await open()
      await stores.alerts.record(alertOf('old', { createdAtMs: 99 }))
      await stores.alerts.record(alertOf('new', { threshold: 100 }))
      expect(await stores.alerts.sweep(100)).toBe(1)
      expect((await stores.alerts.list('u1', 9)).map(({ id }) => id)).toEqual(['new'])
    })
  })
