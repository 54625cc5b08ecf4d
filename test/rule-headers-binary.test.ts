import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash, X509Certificate } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { openWorkspace, type Workspace } from './executable.ts'
import { type Certificates, makeCertificates } from './origin/certificates.ts'
import { openDnsServer } from './origin/dns-server.ts'
import { chromium, describeChromium } from './requirements.ts'
import { typicalCases } from './thorough.ts'
import { PATIENT_TEST_MS } from './patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const RULE_HOST = 'rule.test'
const OTHER_HOST = 'other.test'
const RULES = [{ hosts: [RULE_HOST], headers: { 'X-Rule': 's3cret' } }]

/** Requests its own origin, the other host, and the other host by a redirect. */
const SCRIPT = `
  const other = location.hostname === '${RULE_HOST}' ? '${OTHER_HOST}' : '${RULE_HOST}'
  const foreign = 'https://' + other + ':PORT/foreign'
  const requests = ['/api', foreign, '/away?' + foreign].map((url) => fetch(url).catch(() => {}))
  await Promise.all(requests)
  document.head.innerHTML = '<meta property=og:title content=Rendered><meta name=description content=D>'`

describeChromium('Chromium sends the headers of a rule over https', () => {
  const stack = new AsyncDisposableStack()
  /** `https://rule.test/path: secret`, of each request with the header. */
  const secrets: string[] = []
  const requested = new Set<string>()
  let place: Workspace
  let certificates: Certificates
  let ports: { https: number; http: number }
  let env: Record<string, string>

  function respond(request: Request): Response {
    const { protocol, hostname, pathname, search } = new URL(request.url)
    const secret = request.headers.get('x-rule')
    requested.add(`${protocol}//${hostname}${pathname}`)
    if (secret !== null) secrets.push(`${protocol}//${hostname}${pathname}: ${secret}`)
    const headers = { 'content-type': 'text/html', 'access-control-allow-origin': '*' }
    if (pathname === '/away')
      return new Response(null, { status: 302, headers: { ...headers, location: search.slice(1) } })
    if (pathname === '/leave') return Response.redirect(`https://${OTHER_HOST}:${ports.https}/page`)
    if (pathname === '/downgrade') return Response.redirect(`http://${RULE_HOST}:${ports.http}/page`)
    return new Response(
      pathname === '/page'
        ? `<div id=root></div><script type=module>${SCRIPT.replace('PORT', String(ports.https))}</script>`
        : '',
      {
        headers,
      },
    )
  }

  beforeAll(async () => {
    certificates = await makeCertificates([RULE_HOST, OTHER_HOST])
    const options = { port: 0, hostname: '127.0.0.1', fetch: respond }
    const https = Bun.serve({ ...options, tls: certificates.good })
    stack.defer(() => https.stop(true))
    const http = Bun.serve(options)
    stack.defer(() => http.stop(true))
    ports = { https: https.port!, http: http.port! }
    const loopback = () => ({ A: ['127.0.0.1'] })
    const dns = stack.use(await openDnsServer({ [RULE_HOST]: loopback, [OTHER_HOST]: loopback }))
    place = stack.use(openWorkspace())
    const [authority, sites, browser] = ['authority.pem', 'sites.json', 'chromium'].map((name) =>
      join(place.dir, name),
    ) as [string, string, string]
    writeFileSync(authority, certificates.authority)
    writeFileSync(sites, JSON.stringify(RULES), { mode: 0o600 })
    // Chromium does not read NODE_EXTRA_CA_CERTS. It accepts the public key of this certificate and no other.
    const publicKey = new X509Certificate(certificates.good.cert).publicKey.export({ type: 'spki', format: 'der' })
    const spki = createHash('sha256').update(publicKey).digest('base64')
    writeFileSync(browser, `#!/bin/sh\nexec '${chromium}' --ignore-certificate-errors-spki-list=${spki} "$@"\n`)
    chmodSync(browser, 0o755)
    env = {
      NODE_EXTRA_CA_CERTS: authority,
      URLMETA_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      URLMETA_CHROMIUM: browser,
      URLMETA_DNS_SERVERS: dns.address,
      URLMETA_SITES: sites,
    }
  })
  afterAll(() => stack.disposeAsync())

  const own = (...paths: string[]) => paths.map((path) => `https://${RULE_HOST}${path}: s3cret`)

  const cases = [
    [
      'with the page and to its own origin',
      'https',
      RULE_HOST,
      '/page',
      own('/page', '/page', '/api', '/away', '/favicon.ico'),
    ],
    ['but not after a redirect to another host', 'https', RULE_HOST, '/leave', own('/leave', '/leave')],
    ['but not after a redirect to http', 'https', RULE_HOST, '/downgrade', own('/downgrade', '/downgrade')],
    ['but not from the page of another host', 'https', OTHER_HOST, '/page', []],
    ['but not over http', 'http', RULE_HOST, '/page', []],
  ] as const
  // By default those that begin with a page of the rule over https.
  const isTypical = ([, scheme, host]: (typeof cases)[number]) => scheme === 'https' && host === RULE_HOST
  test.each(typicalCases(cases, isTypical))('%s', async (_, scheme, host, path, expected) => {
    secrets.length = 0
    requested.clear()
    const url = `${scheme}://${host}:${ports[scheme]}${path}`
    const { stdout, stderr } = await place.run(['fetch', '--headless', '--timeout', '15000', url], env)
    expect([stderr, JSON.parse(stdout)]).toMatchObject(['', { title: 'Rendered', fetch_method: 'headless' }])
    expect(secrets.toSorted()).toEqual([...expected].toSorted())
    const last = path === '/leave' ? OTHER_HOST : host
    const foreign = last === RULE_HOST ? OTHER_HOST : RULE_HOST
    // The other host was asked, without the header.
    expect([...requested]).toEqual(expect.arrayContaining([`https://${foreign}/foreign`]))
  })
})
