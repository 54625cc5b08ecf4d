import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { exposureChecks } from '../../src/compose/doctor/exposure.ts'
import { parseConfig } from '../../src/config.ts'
import { startApp } from '../http/app.ts'

const folder = mkdtempSync(join(tmpdir(), 'urlmeta-exposure-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0

function sitesFile(...rules: object[]): string {
  const path = join(folder, `sites-${files++}.json`)
  writeFileSync(path, JSON.stringify(rules))
  return path
}

/** The finding of a check under these variables. */
function findingOf(name: string, env: Record<string, string>, hasBrowserKeys = false) {
  const parsed = parseConfig({ URLMETA_DATA_DIR: folder, ...env })
  if ('errors' in parsed) throw new Error(parsed.errors.join())
  const check = exposureChecks(parsed.config, async () => hasBrowserKeys).find((each) => each.name === name)
  return check!.run()
}

const SIGN_IN = { URLMETA_GITHUB_CLIENT_ID: 'id', URLMETA_GITHUB_CLIENT_SECRET: 'secret' }

describe('links to localhost', () => {
  test.each<[name: string, env: Record<string, string>, links: string | null]>([
    ['of a server for its own machine', {}, null],
    ['of its images', { URLMETA_IMAGE_PROXY: 'on' }, 'images'],
    ['of sign-in', SIGN_IN, 'sign-in'],
    ['of a server on all addresses', { URLMETA_HOST: '0.0.0.0' }, 'shared results, invitations'],
    ['of a server on a name of this machine', { URLMETA_HOST: 'localhost' }, null],
    ['of a server on IPv6', { URLMETA_HOST: '::' }, 'shared results, invitations'],
    ['of a server on IPv6 loopback', { URLMETA_HOST: '::1' }, null],
    ['of a server behind a proxy', { URLMETA_TRUSTED_PROXIES: '127.0.0.1' }, 'shared results, invitations'],
    ['of a server without sharing', { URLMETA_HOST: '0.0.0.0', URLMETA_SHARING: 'off' }, 'invitations'],
    ['on any port', { URLMETA_IMAGE_PROXY: 'on', URLMETA_PORT: '0' }, 'images'],
    ['by a base URL', { URLMETA_IMAGE_PROXY: 'on', URLMETA_BASE_URL: 'http://127.0.0.1:3000' }, 'images'],
    ['no more with a base URL', { URLMETA_IMAGE_PROXY: 'on', URLMETA_BASE_URL: 'https://meta.example' }, null],
    ['no more in a private network', { URLMETA_HOST: '0.0.0.0', URLMETA_BASE_URL: 'http://10.0.0.5:3000' }, null],
  ])('%s', async (_, env, links) => {
    const finding = await findingOf('links', env)
    if (links === null) expect(finding.status).toBe('ok')
    else {
      expect(finding).toEqual({
        status: 'warning',
        detail: expect.stringMatching(new RegExp(`^links of ${links} lead to (localhost|127.0.0.1), which is another`)),
        remedy: 'Set URLMETA_BASE_URL to the address that browsers use.',
      })
    }
  })
})

describe('rules for sites with secrets', () => {
  const withHeaders = { URLMETA_SITES: sitesFile({ hosts: ['a.example'], headers: { authorization: 'Bearer x' } }) }
  const withCookies = {
    URLMETA_SITES: sitesFile({ hosts: ['b.example'] }, { hosts: ['a.example'], cookies: { a: 'x' } }),
  }
  const without = { URLMETA_SITES: sitesFile({ hosts: ['a.example'], render: 'never' }) }
  const PUBLIC = { URLMETA_PUBLIC_PLAYGROUND: 'on' }
  test.each<[name: string, env: Record<string, string>, hasBrowserKeys: boolean, status: string, detail: string]>([
    ['none', PUBLIC, true, 'skipped', 'none has headers or cookies'],
    ['rules without secrets', { ...without, ...PUBLIC }, true, 'skipped', 'none has headers or cookies'],
    ['for users only', withHeaders, false, 'ok', 'only users can read'],
    ['headers, for visitors', { ...withHeaders, ...PUBLIC }, false, 'warning', 'by the public playground'],
    ['cookies, for pages', withCookies, true, 'warning', 'by keys with allowed origins'],
    [
      'for both',
      { ...withCookies, ...PUBLIC },
      true,
      'warning',
      'by the public playground and keys with allowed origins',
    ],
  ])('%s', async (_, env, hasBrowserKeys, status, detail) => {
    expect(await findingOf('rules for sites', env, hasBrowserKeys)).toMatchObject({
      status,
      detail: expect.stringContaining(detail),
    })
  })

  test('are logged in one line when the server starts, also because of a key in the database', async () => {
    const env = { ...withHeaders, URLMETA_DATA_DIR: join(folder, 'data') }
    const lines = ({ log }: Awaited<ReturnType<typeof startApp>>) =>
      log.filter(({ msg }) => String(msg).startsWith('strangers can read pages'))
    {
      await using app = await startApp({ env })
      expect(lines(app)).toEqual([])
      await app.createKey('jo@example.com', { allowedOrigins: ['https://a.example'] })
    }
    await using app = await startApp({ env })
    expect(lines(app)).toMatchObject([
      { level: 'warn', msg: expect.stringContaining('by keys with allowed origins: Close') },
    ])
    expect(app.log.filter(({ msg }) => String(msg).startsWith('links of'))).toEqual([])
  })
})

test('links to localhost are logged in one line when the server starts', async () => {
  await using app = await startApp({ env: { URLMETA_IMAGE_PROXY: 'on' } })
  expect(app.log.filter(({ msg }) => String(msg).startsWith('links of images lead to localhost'))).toHaveLength(1)
})
