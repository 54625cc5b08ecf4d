import { describe, expect, setDefaultTimeout, test } from 'bun:test'

import type { FetchTrace } from '../../src/core/fetch/trace.ts'
import { openDnsServer, type Zone } from '../origin/dns-server.ts'
import { responseBytes, openRawOrigin } from '../origin/raw-origin.ts'
import { createResolver } from '../../src/fetch/connection/resolver.ts'
import { budgetOf, GENEROUS_MS } from './budget.ts'
import { fetcherFor } from './fetcher-for.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

/** A loopback address that a rule allows, in place of a public one. */
const OPEN = '127.0.0.1'

/** Another loopback address on the same port that no rule allows; connections to it are counted. */
const FORBIDDEN = '127.0.0.2'

/** An origin on the allowed address, a canary on the forbidden one, and a DNS server that resolves names to either. */
async function openHarness(zone: Zone) {
  await using stack = new AsyncDisposableStack()
  const origin = stack.use(
    await openRawOrigin((socket) => socket.end(responseBytes(200, { 'Content-Type': 'text/html' }, '<p>'))),
  )
  const canary = stack.use(await openRawOrigin((socket) => socket.end(), { host: FORBIDDEN, port: origin.port }))
  const dns = stack.use(await openDnsServer(zone))
  const fetcher = stack.use(fetcherFor([`${OPEN}:${origin.port}`], { dnsServers: [dns.address] }))
  const owned = stack.move()
  return {
    origin,
    canary,
    dns,
    async fetch(host: string, timeoutMs = GENEROUS_MS) {
      using budget = budgetOf(timeoutMs)
      return await fetcher.fetch(new URL(`http://${host}:${origin.port}/`), budget)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const REFUSED = { failure: 'address_not_allowed', reason: 'address not allowed' }

describe('a name', () => {
  test('is resolved once, and its address is dialed with the name as Host', async () => {
    await using harness = await openHarness({ 'site.test': () => ({ A: [OPEN] }) })
    const page = await harness.fetch('site.test')
    expect(harness.dns.queries.toSorted()).toEqual(['site.test A', 'site.test AAAA'])
    expect(harness.origin.heads[0]).toContain(`Host: site.test:${harness.origin.port}\r\n`)
    expect(page.trace.hops[0]).toMatchObject({
      resolvedBy: 'dns',
      addresses: [{ address: OPEN, verdict: 'loopback', refusal: null }],
    })
  })

  test.each([
    ['at the second lookup', 1],
    ['at the third lookup', 2],
  ])('that changes to a forbidden address %s never leads there', async (_name, turns) => {
    await using harness = await openHarness({ 'rebind.test': (count) => ({ A: [count < turns ? OPEN : FORBIDDEN] }) })
    for (let i = 0; i < turns; i++) expect((await harness.fetch('rebind.test')).status).toBe(200)
    for (let i = 0; i < 3; i++) await expect(harness.fetch('rebind.test')).rejects.toMatchObject(REFUSED)
    expect(harness.canary.connections()).toBe(0)
    expect(harness.origin.connections()).toBe(turns)
  })

  test('that changes with every lookup leads to the allowed address or nowhere', async () => {
    await using harness = await openHarness({ 'flip.test': (count) => ({ A: [count % 2 === 0 ? OPEN : FORBIDDEN] }) })
    const outcomes: PromiseSettledResult<unknown>[] = []
    // Concurrent requests share a lookup.
    for (let i = 0; i < 10; i++) {
      outcomes.push(...(await Promise.allSettled(Array.from({ length: 4 }, () => harness.fetch('flip.test')))))
    }
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['fulfilled', 'rejected']))
    expect(harness.canary.connections()).toBe(0)
    expect(harness.origin.connections()).toBe(outcomes.filter(({ status }) => status === 'fulfilled').length)
  })

  test.each<[string, Zone[string]]>([
    ['an open and a forbidden address', () => ({ A: [OPEN, FORBIDDEN] })],
    ['a forbidden and an open address', () => ({ A: [FORBIDDEN, OPEN] })],
    ['an open IPv4 and a forbidden IPv6 address', () => ({ A: [OPEN], AAAA: ['::1'] })],
    ['an IPv4-mapped forbidden address', () => ({ AAAA: [`::ffff:${FORBIDDEN}`] })],
    ['an alias of a forbidden address', () => ({ alias: 'localhost', A: [FORBIDDEN] })],
    ['the metadata service', () => ({ A: ['169.254.169.254'] })],
    ['NAT64 around loopback', () => ({ AAAA: ['64:ff9b::7f00:1'] })],
    ['25 addresses, the last forbidden', () => ({ A: [...Array.from({ length: 24 }, () => OPEN), '10.0.0.1'] })],
  ])('with %s is refused', async (_name, records) => {
    await using harness = await openHarness({ 'mixed.test': records })
    await expect(harness.fetch('mixed.test')).rejects.toMatchObject(REFUSED)
    expect(harness.canary.connections() + harness.origin.connections()).toBe(0)
  })

  test.each(['printer.local', 'metadata.google.internal', 'nas.home.arpa'])('%s is not looked up', async (name) => {
    await using dns = await openDnsServer({})
    await using fetcher = fetcherFor([], { dnsServers: [dns.address] })
    using budget = budgetOf()
    await expect(fetcher.fetch(new URL(`http://${name}/`), budget)).rejects.toMatchObject(REFUSED)
    expect(dns.queries).toEqual([])
  })

  test.each<[string, Zone]>([
    ['that does not exist', {}],
    ['without address', { 'no.test': () => ({}) }],
    ['whose server fails', { 'no.test': () => ({ code: 'SERVFAIL' }) }],
    ['whose server refuses', { 'no.test': () => ({ code: 'REFUSED' }) }],
  ])('%s is not found', async (_name, zone) => {
    await using harness = await openHarness(zone)
    await expect(harness.fetch('no.test')).rejects.toMatchObject({
      failure: 'host_not_found',
      reason: 'host not found',
    })
  })

  test.each([
    ['with an empty label', 'a..test'],
    ['with a label too long', `${'a'.repeat(64)}.test`],
    ['too long', `${'a.'.repeat(130)}test`],
  ])('%s is not found', async (_name, host) => {
    await using harness = await openHarness({})
    await expect(harness.fetch(host)).rejects.toMatchObject({ failure: 'host_not_found' })
  })

  test('whose servers do not respond fails at the deadline', async () => {
    await using harness = await openHarness({ 'silent.test': () => null })
    await expect(harness.fetch('silent.test', 300)).rejects.toMatchObject({ failure: 'timeout' })
  })

  test('with one unresponsive family is reached by the other', async () => {
    await using harness = await openHarness({ 'half.test': (_look, type) => (type === 'AAAA' ? null : { A: [OPEN] }) })
    expect((await harness.fetch('half.test')).status).toBe(200)
  })

  test('with one slow family is checked for both', async () => {
    await using harness = await openHarness({
      'slow.test': (_look, type) => (type === 'AAAA' ? { AAAA: ['::1'], afterMs: 5 } : { A: [OPEN] }),
    })
    await expect(harness.fetch('slow.test')).rejects.toMatchObject(REFUSED)
  })

  test('with 64 addresses is reached; with more, its domain is not looked up for a minute', async () => {
    const addresses = (count: number) => () => ({ A: Array<string>(count).fill(OPEN) })
    await using harness = await openHarness({
      'a.many.test': addresses(64),
      'a.too-many.test': addresses(65),
      'b.too-many.test': addresses(1),
    })
    expect((await harness.fetch('a.many.test')).status).toBe(200)
    await expect(harness.fetch('a.too-many.test')).rejects.toMatchObject(REFUSED)
    await expect(harness.fetch('b.too-many.test')).rejects.toMatchObject(REFUSED)
    expect(harness.dns.queries.filter((query) => query.includes('too-many'))).toEqual([
      'a.too-many.test A',
      'a.too-many.test AAAA',
    ])
  })

  test('does not wait for names of its domain that do not respond', async () => {
    const silent = Array.from({ length: 40 }, (_, i) => `a${i}.mixed.test`)
    const good = Array.from({ length: 40 }, (_, i) => `b${i}.mixed.test`)
    await using harness = await openHarness({
      ...Object.fromEntries(silent.map((name) => [name, () => null])),
      ...Object.fromEntries(good.map((name) => [name, () => ({ A: [OPEN] })])),
    })
    const waiting = silent.map((name) => harness.fetch(name, 3_000).catch(() => 'given up' as const))
    const first = await Promise.race([Promise.all(good.map((name) => harness.fetch(name))), ...waiting])
    expect(first).toMatchObject(good.map(() => ({ status: 200 })))
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'given up'))
  })

  test('is looked up anew when all callers of a lookup have stopped waiting', async () => {
    await using harness = await openHarness({ 'site.test': (count) => (count === 0 ? null : { A: [OPEN] }) })
    await expect(harness.fetch('site.test', 300)).rejects.toMatchObject({ failure: 'timeout' })
    // Sooner than the second query of the first lookup.
    expect((await harness.fetch('site.test', 700)).status).toBe(200)
  })

  test('with too many addresses ends the other lookups of its domain', async () => {
    const others = Array.from({ length: 20 }, (_, i) => `a${i}.huge.test`)
    await using harness = await openHarness({
      ...Object.fromEntries(others.map((name) => [name, () => null])),
      'site.test': () => ({ A: [OPEN], afterMs: 200 }),
      'b.huge.test': () => ({ A: Array<string>(65).fill(OPEN), afterMs: 100 }),
    })
    const other = harness.fetch('site.test')
    const refused = await Promise.allSettled([...others, 'b.huge.test'].map((name) => harness.fetch(name)))
    expect(refused).toMatchObject(refused.map(() => ({ status: 'rejected', reason: REFUSED })))
    expect((await other).status).toBe(200)
  })

  test.concurrent('is not delayed by a hundred unresponsive ones', async () => {
    const silent = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`silent${i}.test`, () => null]))
    await using harness = await openHarness({ ...silent, 'site.test': () => ({ A: [OPEN] }) })
    const waiting = Object.keys(silent).map((name) => harness.fetch(name, 2_000).catch(() => 'given up' as const))
    const first = await Promise.race([harness.fetch('site.test'), ...waiting])
    expect(first).toMatchObject({ status: 200 })
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'given up'))
  })

  test.concurrent('whose server takes 2.5 s is found', async () => {
    await using harness = await openHarness({ 'slow.test': () => ({ A: [OPEN], afterMs: 2_500 }) })
    expect((await harness.fetch('slow.test')).status).toBe(200)
  })

  test.concurrent('whose first query gets lost is found', async () => {
    await using harness = await openHarness({ 'lost.test': (count) => (count === 0 ? null : { A: [OPEN] }) })
    // The resolver itself repeats a query only after 5 s.
    expect((await harness.fetch('lost.test', 4_500)).status).toBe(200)
  })

  test('is looked up once for concurrent requests', async () => {
    await using harness = await openHarness({ 'site.test': () => ({ A: [OPEN] }) })
    await Promise.all(Array.from({ length: 20 }, () => harness.fetch('site.test')))
    expect(harness.dns.queries.toSorted()).toEqual(['site.test A', 'site.test AAAA'])
  })

  test('over the limit of lookups fails immediately', async () => {
    await using dns = await openDnsServer({})
    using resolver = createResolver({ servers: [dns.address] })
    const stop = new AbortController()
    const queries = Array.from({ length: 3_000 }, (_, i) => resolver.resolve(`name${i}.test`, stop.signal))
    const settled = Promise.allSettled(queries)
    // Lookups over the limit fail before any other finishes.
    await Promise.race(queries).catch(() => {})
    stop.abort(new Error('given up'))
    const reasons = (await settled).map((query) => query.status === 'rejected' && query.reason)
    expect(reasons.filter(({ failure }) => failure === 'overloaded')).toHaveLength(3_000 - 2_048)
    expect(reasons.filter((reason) => reason === stop.signal.reason)).toHaveLength(2_048)
  })

  test('is cached for its TTL', async () => {
    await using harness = await openHarness({ 'site.test': () => ({ A: [OPEN], ttl: 60 }) })
    await harness.fetch('site.test')
    const queries = harness.dns.queries.length
    const page = await harness.fetch('site.test')
    expect(harness.dns.queries).toHaveLength(queries)
    expect(page.trace.hops[0]?.resolvedBy).toBe('cache')
  })

  test('with many addresses takes as much of the cache as many names', async () => {
    const names = Array.from({ length: 800 }, (_, i) => `${i}.test`)
    const A = Array.from({ length: 64 }, (_, i) => `192.0.2.${i}`)
    await using dns = await openDnsServer(Object.fromEntries(names.map((name) => [name, () => ({ A, ttl: 60 })])))
    using resolver = createResolver({ servers: [dns.address] })
    using budget = budgetOf(GENEROUS_MS)
    const resolve = async (name: string) => (await resolver.resolve(name, budget.signal)).by
    for (let i = 0; i < names.length; i += 20) await Promise.all(names.slice(i, i + 20).map(resolve))
    expect(await Promise.all([names.at(-1)!, names[100]!, names[0]!].map(resolve))).toEqual(['cache', 'cache', 'dns'])
  })

  test('with a TTL of 0 is not cached', async () => {
    await using harness = await openHarness({ 'site.test': () => ({ A: [OPEN], ttl: 0 }) })
    await harness.fetch('site.test')
    await harness.fetch('site.test')
    expect(harness.dns.queries.filter((query) => query === 'site.test A')).toHaveLength(2)
  })

  test('is reached at its next address when the first does not respond', async () => {
    await using origin = await openRawOrigin((socket) => socket.end(responseBytes(200, {}, '')))
    await using dns = await openDnsServer({ 'two.test': () => ({ A: ['127.0.0.3', OPEN], AAAA: ['::1'] }) })
    // The first two have no listener.
    await using fetcher = fetcherFor(['two.test'], { dnsServers: [dns.address] })
    using budget = budgetOf()
    const page = await fetcher.fetch(new URL(`http://two.test:${origin.port}/`), budget)
    const attempts = page.trace.hops[0]?.attempts ?? []
    expect(attempts.at(-1)).toEqual({ address: OPEN, error: null })
    expect(attempts.map(({ address }) => address)).toContain('::1')
  })

  test('without a reachable address is refused after four attempts', async () => {
    const A = ['127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6', '127.0.0.7', '127.0.0.8']
    await using dns = await openDnsServer({ 'none.test': () => ({ A }) })
    await using fetcher = fetcherFor(['none.test'], { dnsServers: [dns.address] })
    using budget = budgetOf()
    const trace: FetchTrace = { hops: [] }
    await expect(fetcher.fetch(new URL('http://none.test:9999/'), budget, trace)).rejects.toMatchObject({
      failure: 'connection_refused',
      reason: 'connection refused',
    })
    expect(trace.hops[0]?.attempts).toHaveLength(4)
  })
})

describe('a rule that names a host', () => {
  test('allows that host and no other with the same address', async () => {
    await using origin = await openRawOrigin((socket) => socket.end(responseBytes(200, {}, '')))
    await using dns = await openDnsServer({ 'wiki.test': () => ({ A: [OPEN] }), 'evil.test': () => ({ A: [OPEN] }) })
    await using fetcher = fetcherFor([`wiki.test:${origin.port}`], { dnsServers: [dns.address] })
    using budget = budgetOf()
    expect((await fetcher.fetch(new URL(`http://wiki.test:${origin.port}/`), budget)).status).toBe(200)
    await expect(fetcher.fetch(new URL(`http://evil.test:${origin.port}/`), budget)).rejects.toMatchObject(REFUSED)
    expect(origin.connections()).toBe(1)
  })

  test('allows localhost without a DNS query', async () => {
    await using origin = await openRawOrigin((socket) => socket.end(responseBytes(200, {}, '')))
    await using fetcher = fetcherFor([`localhost:${origin.port}`])
    using budget = budgetOf()
    const page = await fetcher.fetch(new URL(`http://localhost:${origin.port}/`), budget)
    expect(page.trace.hops[0]?.resolvedBy).toBe('loopback name')
  })
})
