import { describe, expect, test } from 'bun:test'

import { LIMIT_REACHED } from '../../../src/core/fetch/image-facts.ts'
import type { FetchedFile } from '../../../src/core/fetch/ports.ts'
import { userCaller, visitorCaller } from '../../../src/previews/service/preview-caller.ts'
import { createPageFiles } from '../../../src/previews/service/page-files.ts'
import { memoryRateLimiter } from '../../../src/store/memory/rate-limiter.ts'
import { memoryRobotsCache } from '../../../src/previews/stores/robots-cache.ts'

const PAGE = 'https://example.com/a'
const signal = new AbortController().signal

function open(answer: (url: URL) => { status?: number; text?: string } | { problem: string }, allowListId = () => '') {
  const clock = { nowMs: Date.UTC(2026, 10, 20) }
  const requested: string[] = []
  const files = createPageFiles({
    files: {
      async fetch(url, { maxBytes }): Promise<FetchedFile> {
        requested.push(url.href)
        const file = answer(url)
        if ('problem' in file) return file
        const bytes = new TextEncoder().encode(file.text ?? '').subarray(0, maxBytes)
        return { url, status: file.status ?? 200, bytes }
      },
    },
    cache: memoryRobotsCache(() => ({ allowListId: allowListId() })),
    limiter: memoryRateLimiter(),
    now: () => clock.nowMs,
  })
  const robots = (urls: string[], readCache = true) => files.robots(userCaller('jo'), urls, { signal, readCache })
  return { files, robots, requested, clock }
}

describe('robots.txt', () => {
  test.each<[name: string, answer: { status?: number; text?: string } | { problem: string }, expected: object]>([
    ['disallows', { text: 'User-agent: Twitterbot\nDisallow: /' }, { problem: '', disallowed: ['x'] }],
    ['does not exist', { status: 404 }, { problem: '', disallowed: [] }],
    ['is forbidden', { status: 403 }, { problem: '', disallowed: [] }],
    ['has an error', { status: 500 }, { problem: 'HTTP 500', disallowed: [] }],
    ['has the last status of a refusal', { status: 499 }, { problem: '', disallowed: [] }],
    ['cannot be read now', { status: 503 }, { problem: 'HTTP 503', disallowed: [] }],
    ['is limited', { status: 429 }, { problem: 'HTTP 429', disallowed: [] }],
    ['cannot be reached', { problem: 'connection refused' }, { problem: 'connection refused', disallowed: [] }],
  ])('that %s', async (_, answer, expected) => {
    const { robots } = open(() => answer)
    expect(await robots([PAGE])).toEqual([{ url: PAGE, file: 'https://example.com/robots.txt', ...expected } as never])
  })

  test('is requested once for each origin, of the first five URLs', async () => {
    const { robots, requested } = open(() => ({ status: 404 }))
    const urls = [
      PAGE,
      'https://example.com/b.png',
      'https://cdn.example/c.png',
      PAGE,
      'http://example.com/d.png',
      'https://cdn.example/e.png',
    ]
    expect((await robots([...urls, 'https://sixth.example/'])).map(({ url }) => url)).toEqual(
      urls.filter((_, i) => i !== 3),
    )
    expect(requested.toSorted()).toEqual([
      'http://example.com/robots.txt',
      'https://cdn.example/robots.txt',
      'https://example.com/robots.txt',
    ])
  })

  test('is cached for five minutes, unless the cache is bypassed or it could not be read', async () => {
    let status = 503
    const { robots, requested, clock } = open(() => ({ status }))
    await robots([PAGE])
    status = 404
    await robots([PAGE])
    expect(requested).toHaveLength(2)
    clock.nowMs += 5 * 60_000 - 1
    await robots([PAGE])
    expect(requested).toHaveLength(2)
    await robots([PAGE], false)
    expect(requested).toHaveLength(3)
    clock.nowMs += 5 * 60_000
    await robots([PAGE])
    expect(requested).toHaveLength(4)
  })

  test('is requested again under another allow-list', async () => {
    let id = ''
    const { robots, requested } = open(
      () => ({ status: 404 }),
      () => id,
    )
    await robots([PAGE])
    id = ' another list'
    await robots([PAGE])
    expect(requested).toHaveLength(2)
  })

  test('callers without an account do not get the cached file of a user, which may be of a private host', async () => {
    const { files, robots, requested } = open(() => ({ status: 404 }))
    const options = { signal, readCache: true }
    await robots([PAGE])
    for (const network of ['192.0.2.1', '192.0.2.2']) await files.robots(visitorCaller(network), [PAGE], options)
    expect(requested).toHaveLength(2)
  })

  test('60 files are requested per user and minute', async () => {
    const { robots, files, requested } = open(() => ({ status: 404 }))
    for (let i = 0; i < 60; i++) await robots([`https://host${i}.example/`])
    expect((await robots(['https://another.example/']))[0]!.problem).toBe(LIMIT_REACHED)
    expect((await files.oembed(userCaller('jo'), 'https://another.example/', signal)).problem).toBe(LIMIT_REACHED)
    expect(
      (await files.robots(userCaller('ann'), ['https://another.example/'], { signal, readCache: true }))[0]!.problem,
    ).toBe('')
    expect(requested).toHaveLength(61)
  })
})

describe('oEmbed', () => {
  test.each<[name: string, answer: { status?: number; text?: string } | { problem: string }, problem: string]>([
    ['a response', { text: '{"type":"link","title":"T"}' }, ''],
    ['a status', { status: 404 }, 'HTTP 404'],
    ['a failure', { problem: 'timed out' }, 'timed out'],
    ['another status of success', { status: 204, text: '{"type":"link"}' }, 'HTTP 204'],
    ['a response of the maximum size', { text: `{"type":"link","title":"${'x'.repeat(256 * 1024 - 26)}"}` }, ''],
    ['a large response', { text: 'x'.repeat(256 * 1024 + 1) }, 'over 256 KB'],
  ])('%s', async (_, answer, problem) => {
    const { files } = open(() => answer)
    expect((await files.oembed(userCaller('jo'), PAGE, signal)).problem).toBe(problem)
  })
})
