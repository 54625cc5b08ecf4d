import { beforeAll, describe, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'

import { chainOf, issuerAddressOf } from '../../../src/core/net/certificate-chain.ts'
import { issueCertificate, type Authority } from '../../origin/certificate-chain.ts'

const parsed = ({ cert }: Authority) => new X509Certificate(cert)
const DAY_MS = 24 * 60 * 60 * 1_000

let root: Authority
let intermediate: Authority
let leaf: Authority
beforeAll(async () => {
  root = await issueCertificate({ name: 'Root', issuer: null })
  intermediate = await issueCertificate({ name: 'Intermediate', issuer: root })
  leaf = await issueCertificate({ name: 'leaf.test', issuer: intermediate, isAuthority: false })
})

test('an issuer at a host of many combining characters is not parsed, which would take quadratic time', () => {
  const at = (host: string) => new Proxy(parsed(leaf), { get: () => `CA Issuers - URI:http://${host}/ca.crt` })
  expect(issuerAddressOf(at('ca.test'))?.href).toBe('http://ca.test/ca.crt')
  expect(issuerAddressOf(at(`a${'%CC%81'.repeat(100)}`))).toBeNull()
})

describe('the chain through an intermediate', () => {
  const chainThrough = (certificates: readonly Authority[], roots: readonly Authority[], days = 0) =>
    chainOf(certificates.map(parsed), roots.map(parsed), Date.now() + days * DAY_MS)
  const rootAt = (days: number) => chainThrough([leaf, intermediate], [root], days)?.[0]?.subject ?? null

  test.each<[name: string, days: number, expected: string | null]>([
    ['now', 0, 'CN=Root'],
    ['before it is valid', -2, null],
    ['after it has expired', 31, null],
  ])('%s', (_, days, expected) => expect(rootAt(days)).toBe(expected))

  test('is the root and the intermediate, in any order of the certificates', () => {
    for (const others of [
      [intermediate, root],
      [root, intermediate],
    ]) {
      expect(chainThrough([leaf, ...others], [root])?.map(({ subject }) => subject)).toEqual([
        'CN=Root',
        'CN=Intermediate',
      ])
    }
  })

  test('is null without the root, or through another certificate', async () => {
    expect(chainThrough([leaf, intermediate], [])).toBeNull()
    expect(chainThrough([leaf], [root])).toBeNull()
    // The server's own certificate cannot issue others.
    const ofLeaf = await issueCertificate({ name: 'other.test', issuer: leaf, isAuthority: false })
    expect(chainThrough([ofLeaf, leaf, intermediate], [root])).toBeNull()
    // A self-signed certificate would be trusted as a root.
    const ofRoot = await issueCertificate({ name: 'other.test', issuer: root, isAuthority: false })
    expect(chainThrough([ofRoot, root], [intermediate])).toBeNull()
  })

  test('is null for certificates that have issued each other', async () => {
    const circle = Array.from({ length: 9 }, () => ({ name: 'Circle', issuer: null, keys: intermediate.keys }))
    const others = await Promise.all(circle.map((options) => issueCertificate({ ...options, claimedIssuer: 'Circle' })))
    const ofCircle = await issueCertificate({ name: 'other.test', issuer: others[0]!, isAuthority: false })
    expect(chainThrough([ofCircle, ...others], [root])).toBeNull()
  })
})

describe('the address of the issuer', () => {
  test.each<[address: string | undefined, expected: string | null]>([
    ['http://aia.test/i.crt', 'http://aia.test/i.crt'],
    ['https://aia.test/i.crt', 'https://aia.test/i.crt'],
    ['ldap://aia.test/cn=x', null],
    ['file:///etc/passwd', null],
    ['/i.crt', null],
    [undefined, null],
  ])('%p', async (issuerAddress, expected) => {
    const certificate = await issueCertificate({ name: 'x', issuer: null, issuerAddress })
    expect(issuerAddressOf(parsed(certificate))?.href ?? null).toBe(expected)
  })
})
