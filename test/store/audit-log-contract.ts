import { describe, expect, test } from 'bun:test'

import type { AuditEntry, AuditLog } from '../../src/core/accounts/audit-log.ts'
import type { Open } from './open.ts'

const entryOf = (id: string, atMs: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
  id,
  atMs,
  actor: 'op@example.com',
  action: 'plan_changed',
  userId: 'u1',
  email: 'jo@example.com',
  detail: 'Free → Growth',
  ...more,
})

/** The contract of every implementation of `AuditLog`. */
export const auditLogContract = (name: string, open: Open<{ audit: AuditLog }>) =>
  describe(`AuditLog: ${name}`, () => {
    test('entries are listed newest first, in pages', async () => {
      await using store = await open()
      for (let i = 1; i <= 5; i++) await store.audit.append(entryOf(`a${i}`, i * 1_000))
      const { entries, total } = await store.audit.list({ offset: 1, limit: 2 })
      expect(entries).toEqual([entryOf('a4', 4_000), entryOf('a3', 3_000)])
      expect(total).toBe(5)
    })

    test('entries can be filtered by user', async () => {
      await using store = await open()
      await store.audit.append(entryOf('a1', 1_000))
      await store.audit.append(entryOf('a2', 2_000, { userId: 'u2', actor: null }))
      await store.audit.append(entryOf('a3', 3_000, { userId: null }))
      const { entries, total } = await store.audit.list({ userId: 'u2', offset: 0, limit: 10 })
      expect(entries).toEqual([entryOf('a2', 2_000, { userId: 'u2', actor: null })])
      expect(total).toBe(1)
    })

    test('sweep deletes only entries before the time', async () => {
      await using store = await open()
      for (let i = 1; i <= 250; i++) await store.audit.append(entryOf(`a${i}`, i))
      await store.audit.append(entryOf('border', 251))
      expect(await store.audit.sweep(251)).toBe(250)
      expect((await store.audit.list({ offset: 0, limit: 10 })).entries).toEqual([entryOf('border', 251)])
    })
  })
