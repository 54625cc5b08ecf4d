import { beforeAll, describe, expect, test } from 'bun:test'
import { createSecureContext, type TlsOptions } from 'node:tls'

import type { FetchError } from '../../src/core/errors.ts'
import { type CertificateOptions, issueCertificate } from '../origin/certificate-chain.ts'
import { makeCertificates, type Certificates } from '../origin/certificates.ts'
import { openDnsServer } from '../origin/dns-server.ts'
import { responseBytes, openRawOrigin } from '../origin/raw-origin.ts'
import { budgetOf } from './budget.ts'
import { fetcherFor } from './fetcher-for.ts'

let certificates: Certificates
beforeAll(async () => {
  certificates = await makeCertificates(['good.test', '127.0.0.1'])
})

/** Fetches `https://<host>/` from an origin on loopback, to which every name resolves. */
async function fetchFrom(host: string, tls: TlsOptions, trusts = [certificates.authority]) {
  await using origin = await openRawOrigin(
    (socket) => socket.end(responseBytes(200, { 'Content-Type': 'text/html' }, '<p>')),
    {
      tls,
    },
  )
  await using dns = await openDnsServer({
    'good.test': () => ({ A: ['127.0.0.1'] }),
    'other.test': () => ({ A: ['127.0.0.1'] }),
    'www.good.test': () => ({ A: ['127.0.0.1'] }),
  })
  await using fetcher = fetcherFor([`127.0.0.1:${origin.port}`], { dnsServers: [dns.address], authorities: trusts })
  using budget = budgetOf()
  const page = await fetcher.fetch(new URL(`https://${host}:${origin.port}/`), budget)
  return { page, head: origin.heads[0] ?? '', port: origin.port }
}

describe('https', () => {
  test('checks the certificate against the name rather than the dialed address', async () => {
    const { page, head, port } = await fetchFrom('good.test', certificates.good)
    expect(page.status).toBe(200)
    expect(head).toContain(`Host: good.test:${port}\r\n`)
    expect(page.trace.hops[0]).toMatchObject({
      tls: 'TLSv1.3',
      attempts: [{ address: '127.0.0.1', error: null }],
      timing: { tlsMs: expect.any(Number) },
    })
  })

  test.each(['good.test', 'good.test.', 'GOOD.test'])('%s is sent as server name good.test', async (host) => {
    const resolved: string[] = []
    const SNICallback: TlsOptions['SNICallback'] = (name, use) => {
      resolved.push(name)
      use(null, createSecureContext(certificates.good))
    }
    expect((await fetchFrom(host, { ...certificates.good, SNICallback })).page.status).toBe(200)
    expect(resolved).toEqual(['good.test'])
  })

  test('checks it regardless of environment variables', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      await expect(fetchFrom('other.test', certificates.good)).rejects.toMatchObject({ failure: 'tls_error' })
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    }
  })

  test('checks the certificate against an address', async () => {
    expect((await fetchFrom('127.0.0.1', certificates.good)).page.status).toBe(200)
  })

  test.each([
    ['for another host', () => fetchFrom('other.test', certificates.good), 'certificate is for another host'],
    ['that has expired', () => fetchFrom('good.test', certificates.expired), 'certificate has expired'],
    ['that is not valid yet', () => fetchFrom('good.test', certificates.notYetValid), 'certificate is not yet valid'],
    ['that is self-signed', () => fetchFrom('good.test', certificates.selfSigned), 'self-signed certificate'],
    [
      'of an unknown authority',
      () => fetchFrom('good.test', certificates.good, [certificates.selfSigned.cert]),
      'certificate of an unknown authority',
    ],
  ])('refuses a certificate %s', async (_name, fetched, reason) => {
    await expect(fetched()).rejects.toMatchObject({ failure: 'tls_error', reason: `TLS error: ${reason}` })
  })

  test.each([
    [
      'an old protocol',
      () => fetchFrom('good.test', { ...certificates.good, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }),
      'TLS error: no common protocol version',
    ],
    [
      'a client certificate',
      () => fetchFrom('good.test', { ...certificates.good, requestCert: true, ca: certificates.authority }),
      'TLS error: handshake failed',
    ],
  ])('does without %s', async (_name, fetched, reason) => {
    await expect(fetched()).rejects.toMatchObject({ reason })
  })

  test.each([
    ['resets during the handshake', (end: { resetAndDestroy(): void }) => end.resetAndDestroy(), 'connection reset'],
    ['closes during the handshake', (end: { end(): void }) => end.end(), 'connection reset'],
    [
      'responds in plain HTTP',
      (end: { end(bytes: Buffer): void }) => end.end(responseBytes(400, {})),
      'TLS error: handshake failed',
    ],
    ['speaks SSH', (end: { end(text: string): void }) => end.end('SSH-2.0-x\r\n'), 'TLS error: handshake failed'],
  ])('a server that %s', async (_name, act, reason) => {
    await using origin = await openRawOrigin(
      () => {},
      {},
      (socket) => void socket.once('data', () => act(socket)),
    )
    await using fetcher = fetcherFor([`127.0.0.1:${origin.port}`])
    using budget = budgetOf()
    await expect(fetcher.fetch(new URL(`https://127.0.0.1:${origin.port}/`), budget)).rejects.toMatchObject({ reason })
  })

  test('a server that does not respond to the handshake', async () => {
    await using origin = await openRawOrigin(() => {})
    await using fetcher = fetcherFor([`127.0.0.1:${origin.port}`])
    using budget = budgetOf(300)
    await expect(fetcher.fetch(new URL(`https://127.0.0.1:${origin.port}/`), budget)).rejects.toMatchObject({
      failure: 'timeout',
    })
  })
})

describe('a certificate is refused, as in browsers,', () => {
  const refusal = async (options: Partial<CertificateOptions>, host = 'good.test') => {
    const root = await issueCertificate({ name: 'Root', issuer: null })
    const leaf = await issueCertificate({ name: host, issuer: root, isAuthority: false, ...options })
    return await fetchFrom(host, { key: leaf.key, cert: leaf.cert }, [root.cert]).then(
      ({ page }) => page.status,
      (error: FetchError) => error.reason,
    )
  }
  const OTHER_HOST = 'TLS error: certificate is for another host'

  test.each<[name: string, options: Partial<CertificateOptions>, result: number | string]>([
    ['with the name in its subject alone', {}, OTHER_HOST],
    ['with a wildcard within a label', { hosts: ['g*.test'] }, OTHER_HOST],
    ['with a wildcard at the end of a label', { hosts: ['*d.test'] }, OTHER_HOST],
    [
      'with a signature with SHA-1',
      { hosts: ['good.test'], hash: 'SHA-1' },
      'TLS error: certificate has a weak signature',
    ],
    ['but not with the name', { hosts: ['other.test', 'good.test'] }, 200],
    ['but not with one of its names refused', { hosts: ['g*.test', 'good.test'] }, 200],
  ])('%s', async (_, options, result) => expect(await refusal(options)).toBe(result))

  test('but not with a wildcard as a label', async () => {
    expect(await refusal({ hosts: ['*.good.test'] }, 'www.good.test')).toBe(200)
  })
})
