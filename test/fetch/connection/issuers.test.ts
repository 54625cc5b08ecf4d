import { expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'

import { parseAllowRule } from '../../../src/core/net/egress.ts'
import { FetchError } from '../../../src/core/errors.ts'
import { createConnections } from '../../../src/fetch/connection/connections.ts'
import { DIRECT } from '../../../src/fetch/connection/dial.ts'
import { createGuard } from '../../../src/fetch/connection/guard.ts'
import { createIssuers } from '../../../src/fetch/connection/issuers.ts'
import { createRequester, type PageRequest } from '../../../src/fetch/connection/requester.ts'
import { createResolver } from '../../../src/fetch/connection/resolver.ts'
import { createSlots } from '../../../src/fetch/connection/slots.ts'
import { issueCertificate } from '../../origin/certificate-chain.ts'
import { responseBytes, openRawOrigin } from '../../origin/raw-origin.ts'
import { settingsOf } from '../../settings.ts'

/**
 * Issuers and the last certificate of a server whose issuer is at an authority's server.
 * @param before called before each request is sent; may reject it
 */
async function openIssuers(before: (request: PageRequest) => void | Promise<void>) {
  await using stack = new AsyncDisposableStack()
  const root = await issueCertificate({ name: 'Root', issuer: null })
  const intermediate = await issueCertificate({ name: 'Intermediate', issuer: root })
  const authority = stack.use(await openRawOrigin((socket) => socket.end(responseBytes(200, {}, intermediate.der))))
  const issuerAddress = `http://127.0.0.1:${authority.port}/`
  const leaf = await issueCertificate({ name: 'a.test', issuer: intermediate, isAuthority: false, issuerAddress })
  const resolver = stack.use(createResolver({ servers: null }))
  const guard = createGuard({
    resolver,
    settings: settingsOf({ allow: [parseAllowRule('127.0.0.1')!] }),
    ownPorts: () => [],
  })
  const send = createRequester({
    guard,
    slots: createSlots({ total: 1 }),
    connections: createConnections(),
    limitsOf: () => [],
    issuers: null,
    connector: DIRECT,
  })
  const closing = new AbortController()
  const issuers = createIssuers({
    async send(request, read) {
      await before(request)
      return await send(request, read)
    },
    userAgent: 'urlmeta-test',
    authorities: [root.cert],
    closing: closing.signal,
  })
  const owned = stack.move()
  return {
    requested: authority.heads,
    closing,
    find: (caller = { userId: 'u1', publicOnly: false }) =>
      issuers.issuersOf([new X509Certificate(leaf.cert)], true, caller, new AbortController().signal),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const OVERLOADED = { failure: 'overloaded', reason: 'too many requests are waiting' }

test('a certificate is requested for the caller whose page needs it', async () => {
  const callers: unknown[] = []
  await using issuers = await openIssuers(({ caller }) => void callers.push(caller))
  const caller = { userId: 'u7', publicOnly: false }
  expect(await issuers.find(caller)).not.toBeNull()
  expect(callers).toEqual([caller])
})

test('a certificate on a private host is not requested for a caller that may only use public ones', async () => {
  await using issuers = await openIssuers(() => {})
  expect(await issuers.find({ userId: 'u7', publicOnly: true })).toBeNull()
  expect(issuers.requested).toBeEmpty()
})

test('an overload is thrown, and the next page requests the certificate again', async () => {
  let isFull = true
  await using issuers = await openIssuers(() => {
    if (isFull) throw new FetchError('overloaded')
  })
  await expect(issuers.find()).rejects.toMatchObject(OVERLOADED)
  isFull = false
  expect(await issuers.find()).not.toBeNull()
  expect(issuers.requested).toHaveLength(1)
})

test('an end while waiting for a slot is an overload, not a failure of the URL', async () => {
  await using issuers = await openIssuers(async ({ hop, signal }) => {
    hop.phase = { name: 'queueMs' }
    issuers.closing.abort(new Error('closed'))
    signal.throwIfAborted()
  })
  await expect(issuers.find()).rejects.toMatchObject(OVERLOADED)
})

test('a failure of the URL is null, and is not requested again', async () => {
  let requests = 0
  await using issuers = await openIssuers(() => {
    requests++
    throw new FetchError('connection_refused')
  })
  expect([await issuers.find(), await issuers.find()]).toEqual([null, null])
  expect(requests).toBe(1)
})
