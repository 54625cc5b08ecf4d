import { expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { openWorkspace } from './executable.ts'
import { issueCertificate } from './origin/certificate-chain.ts'
import { openDnsServer } from './origin/dns-server.ts'
import { responseBytes, openRawOrigin } from './origin/raw-origin.ts'
import { PATIENT_TEST_MS } from './patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)
const HOST = 'incomplete.test'

test('the executable completes a chain up to a root of NODE_EXTRA_CA_CERTS, and to no other', async () => {
  const root = await issueCertificate({ name: 'Root', issuer: null })
  const intermediate = await issueCertificate({ name: 'Intermediate', issuer: root })
  await using authority = await openRawOrigin((socket) => socket.end(responseBytes(200, {}, intermediate.der)))
  const identity = await issueCertificate({
    name: HOST,
    issuer: intermediate,
    isAuthority: false,
    hosts: [HOST],
    issuerAddress: `http://127.0.0.1:${authority.port}/issuer.crt`,
  })
  await using site = await openRawOrigin(
    (socket) => socket.end(responseBytes(200, { 'Content-Type': 'text/html' }, '<title>Complete</title>')),
    { tls: identity },
  )
  await using dns = await openDnsServer({ [HOST]: () => ({ A: ['127.0.0.1'] }) })
  await using place = openWorkspace()
  const file = join(place.dir, 'root.pem')
  writeFileSync(file, root.cert)
  const env = { URLMETA_DNS_SERVERS: dns.address, URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.1' }
  const url = `https://${HOST}:${site.port}/`

  const known = await place.run(['fetch', '--explain', url], { ...env, NODE_EXTRA_CA_CERTS: file })
  expect(known.stdout).toContain('title             Complete  ← title element')
  expect(known.stdout).toContain(`intermediate certificate from http://127.0.0.1:${authority.port}/issuer.crt`)

  const unknown = await place.run(['fetch', url], env)
  expect(JSON.parse(unknown.stdout)).toEqual({
    url,
    error: 'Failed to fetch URL: TLS error: certificate of an unknown authority',
  })
})
