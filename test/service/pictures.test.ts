import { describe, expect, test } from 'bun:test'

import { createPictures } from '../../src/service/pictures.ts'
import { memoryRateLimiter } from '../../src/store/memory/rate-limiter.ts'

const IMAGE = { mimeType: 'image/png', bytes: new Uint8Array(1) }

function setUp() {
  const clock = { nowMs: Date.UTC(2026, 10, 20) }
  const held: (() => void)[] = []
  const pictures = createPictures({
    images: {
      async fetch(url) {
        if (url.pathname === '/slow') await new Promise<void>((resolve) => held.push(resolve))
        if (url.pathname === '/breaks') throw new Error('bug')
        return IMAGE
      },
    },
    limiter: memoryRateLimiter(),
    secret: new Uint8Array(32),
    now: () => clock.nowMs,
  })
  const fetch = (userId: string, path: string) =>
    pictures.fetch(userId, pictures.link(userId, `https://a.example${path}`), new AbortController().signal)
  return { clock, held, fetch }
}

/** Lets everything that can go on do so. */
const settle = () => Bun.sleep(0)

describe('pictures of one user', () => {
  test('are fetched eight at a time; one more is not shown, and others are not kept waiting', async () => {
    const { held, fetch } = setUp()
    const slow = Array.from({ length: 8 }, () => fetch('jo', '/slow'))
    await settle()
    expect(held).toHaveLength(8)
    expect(await fetch('jo', '/fast')).toBeNull()
    expect(await fetch('ann', '/fast')).toBe(IMAGE)
    held[0]!()
    await slow[0]
    expect(await fetch('jo', '/fast')).toBe(IMAGE)
    for (const release of held) release()
    expect(await Promise.all(slow)).toEqual(slow.map(() => IMAGE))
  })

  test('that fail give their place back', async () => {
    const { fetch } = setUp()
    for (let n = 0; n < 20; n++) await fetch('jo', '/breaks').catch(() => null)
    expect(await fetch('jo', '/fast')).toBe(IMAGE)
  })

  test('are sixty in a minute', async () => {
    const { clock, fetch } = setUp()
    for (let n = 0; n < 60; n++) expect(await fetch('jo', '/fast')).toBe(IMAGE)
    expect(await fetch('jo', '/fast')).toBeNull()
    expect(await fetch('ann', '/fast')).toBe(IMAGE)
    clock.nowMs += 60_000
    expect(await fetch('jo', '/fast')).toBe(IMAGE)
  })
})
