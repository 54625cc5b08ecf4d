import { beforeAll, describe, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'

import { issuerAddressOf, rootOf } from '../../../src/core/net/certificate-chain.ts'
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

describe('the root above a missing intermediate', () => {
  const rootAt = (days: number) =>
    rootOf(parsed(intermediate), parsed(leaf), [parsed(root)], Date.now() + days * DAY_MS)?.subject ?? null

  test.each<[name: string, days: number, expected: string | null]>([
    ['now', 0, 'CN=Root'],
    ['before it is valid', -2, null],
    ['after it has expired', 31, null],
  ])('%s', (_, days, expected) => expect(rootAt(days)).toBe(expected))

  test('is null without the root, or for another certificate', () => {
    expect(rootOf(parsed(intermediate), parsed(leaf), [], Date.now())).toBeNull()
    expect(rootOf(parsed(leaf), parsed(intermediate), [parsed(root)], Date.now())).toBeNull()
    expect(rootOf(parsed(root), parsed(intermediate), [parsed(root)], Date.now())).toBeNull()
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
