import { expect, test } from 'bun:test'

import { MAX_SHARED_CHARS } from '../../../src/core/saved-results/ports.ts'
import { createSharing } from '../../../src/previews/service/shared-results.ts'
import type { PlaygroundSuccessRecord } from '../../../src/previews/service/playground-record.ts'

const outcomeOf = (title: string): PlaygroundSuccessRecord => ({
  kind: 'success',
  url: 'https://example.com/',
  result: { title, fetched_at: '', fetch_method: 'http', response_time_ms: 1 },
  cached: false,
  details: null,
  images: [],
  oembed: null,
  robots: [],
  editedTags: null,
})

test('a result of the maximum size is shared, and no longer one', async () => {
  const stored: number[] = []
  const sharing = createSharing({
    sharedResults: { share: async ({ json }: { json: string }) => stored.push(json.length) > 0 } as never,
    settings: () => ({ allowListId: '' }),
    viewLimiter: undefined as never,
    now: () => 0,
    newId: () => 'id',
    randomBytes: (length: number) => new Uint8Array(length),
  })
  await sharing.share('u1', outcomeOf(''))
  const room = MAX_SHARED_CHARS - stored[0]!
  expect(await sharing.share('u1', outcomeOf('x'.repeat(room)))).toMatchObject({ token: expect.any(String) })
  expect(stored[1]).toBe(MAX_SHARED_CHARS)
  expect(await sharing.share('u1', outcomeOf('x'.repeat(room + 1)))).toBe('too_large')
})
