import { describe, expect, test } from 'bun:test'

import { DEFAULT_PLANS } from '../../../src/core/plan.ts'
import { createPublicImages } from '../../../src/service/lookup/public-images.ts'

const DAY_MS = 86_400_000
const NOON = Date.UTC(2026, 10, 20, 12)
const MIDNIGHT = Date.UTC(2026, 10, 28)

/** Links at a time that can be changed. */
function openLinks() {
  const clock = { nowMs: NOON }
  const unused = {} as never
  const rest = { keys: unused, users: unused, images: unused, admission: unused, settings: unused }
  return { clock, links: createPublicImages({ ...rest, secret: new Uint8Array(32), now: () => clock.nowMs }) }
}

describe('a link to an image', () => {
  test('is the same for all responses of a day, and lives for seven days until midnight', () => {
    const { clock, links } = openLinks()
    const link = links.link('k1', 'https://site.test/a.png')
    expect(Number(link.expires) * 1_000).toBe(MIDNIGHT)
    clock.nowMs = Date.UTC(2026, 10, 20, 23, 59, 59, 999)
    expect(links.link('k1', 'https://site.test/a.png')).toEqual(link)
    clock.nowMs = Date.UTC(2026, 10, 21)
    expect(Number(links.link('k1', 'https://site.test/a.png').expires) * 1_000).toBe(MIDNIGHT)
    clock.nowMs++
    expect(Number(links.link('k1', 'https://site.test/a.png').expires) * 1_000).toBe(MIDNIGHT + DAY_MS)
  })

  test('works until the millisecond before it expires', () => {
    const { clock, links } = openLinks()
    const link = links.link('k1', 'https://site.test/a.png')
    clock.nowMs = MIDNIGHT - 1
    expect(links.verify(link)).toMatchObject({ key: 'k1', expiresAtMs: MIDNIGHT })
    clock.nowMs = MIDNIGHT
    expect(() => links.verify(link)).toThrow('The link to this image has expired')
  })

  test.each(['url', 'key', 'expires', 'signature'] as const)('of which %s was changed is refused', (name) => {
    const { links } = openLinks()
    const link = links.link('k1', 'https://site.test/a.png')
    expect(() => links.verify({ ...link, [name]: `${link[name]}1` })).toThrow('Invalid signature')
    expect(() => links.verify({ ...link, [name]: undefined! })).toThrow('Invalid signature')
  })
})

describe('an image that cannot be fetched', () => {
  const facts = { url: 'https://site.test/a.png', problem: '', mimeType: 'text/html', bytes: null, size: null }
  const gone = AbortSignal.abort()
  const waiting = new AbortController().signal

  test.each<[name: string, problem: string, signal: AbortSignal, kind: string, message: string]>([
    ['has a problem', 'HTTP 404', waiting, 'fetch_failed', 'Failed to fetch image: HTTP 404'],
    ['is no image', '', waiting, 'fetch_failed', 'Failed to fetch image: text/html is not supported'],
    ['has no client any more', 'aborted', gone, 'client_closed', 'The client closed the connection'],
  ])('%s', async (_, problem, signal, kind, message) => {
    const key = { userId: 'u1', deactivatedAtMs: null, expiresAtMs: null }
    const user = { id: 'u1', plan: 'free', suspendedAtMs: null, perMinute: null, perMonth: null, maxKeys: null }
    const links = createPublicImages({
      keys: { find: async () => key } as never,
      users: { find: async () => user } as never,
      images: { fetch: async () => ({ image: null, facts: { ...facts, problem } }) } as never,
      admission: { countImage: async () => {} } as never,
      settings: () => ({ plans: DEFAULT_PLANS }),
      secret: new Uint8Array(32),
      now: () => NOON,
    })
    const failed = links.fetch({ url: new URL(facts.url), key: 'k1' }, '192.0.2.1', signal)
    await expect(failed).rejects.toMatchObject({ kind, message })
  })
})
