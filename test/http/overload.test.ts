import { expect, test } from 'bun:test'

import { startApp } from './app.ts'

test('a request that finds the queue full gets 502 and is not charged', async () => {
  let isSlow = true
  const released = Promise.withResolvers<void>()
  await using app = await startApp({
    env: { URLMETA_FETCH_CONCURRENCY: '1', URLMETA_PLAN_FREE_PER_MINUTE: '1000' },
    async origin() {
      if (isSlow) await released.promise
      return new Response('<link rel=icon href=/i>', { headers: { 'content-type': 'text/html' } })
    },
  })
  const key = await app.newKey()
  // One runs and sixteen wait.
  const asking = Array.from({ length: 1 + 16 + 1 }, (_, i) => app.metadata(key, `/${i}`, { timeout: '15000' }))
  const refused = await Promise.race(asking)
  expect([refused.status, await refused.json()]).toEqual([
    502,
    { error: 'Failed to fetch URL: too many requests are waiting' },
  ])
  isSlow = false
  released.resolve()
  const statuses = (await Promise.all(asking)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(17)
  const last = await app.metadata(key, '/last')
  expect(last.headers.get('x-monthly-used')).toBe('18')
})
