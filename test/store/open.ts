import type { Stores } from '../../src/compose/stores.ts'

/** Opens a new and empty store; the test that opens it disposes it. */
export type Open<Store> = () => (Store & Disposable) | Promise<Store & AsyncDisposable>

/** Adds the users u1 and u2. */
export async function addUsers({ users }: Pick<Stores, 'users'>): Promise<void> {
  await users.ensure({ id: 'u1', email: 'jo@example.com', plan: 'free', createdAtMs: 0 })
  await users.ensure({ id: 'u2', email: 'ann@example.com', plan: 'free', createdAtMs: 0 })
}
