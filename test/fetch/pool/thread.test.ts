import { expect, test } from 'bun:test'

import { createFetchSlots } from '../../../src/fetch/fetcher.ts'
import { startThread } from '../../../src/fetch/pool/thread.ts'
import { budgetOf } from '../budget.ts'

test('a slot that is granted to a request that was just aborted is released', async () => {
  const slots = createFetchSlots(4)
  const entry = new URL('./aborting-worker.ts', import.meta.url).href
  const deps = { entry, settings: {}, slots, renderer: null, history: null, ownPorts: () => [] }
  using thread = startThread(deps, () => {})
  await thread.started
  using budget = budgetOf()
  for (let n = 0; n < 3; n++) await thread.read(new URL('http://site.test/'), budget, { hops: [] }, false)
  expect(slots.pages.load()).toEqual({ active: 0, waiting: 0, limit: 4 })
})
