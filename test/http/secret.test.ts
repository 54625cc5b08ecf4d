import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { parse } from 'node-html-parser'

import { composeAccounts } from '../../src/compose/accounts.ts'
import { parseConfig } from '../../src/config.ts'
import { startApp } from './app.ts'

const SECRET = 'the-same-on-every-process-of-the-test'
const BASE = { URLMETA_BASE_URL: 'http://localhost:3000' }

test.each<[name: string, env: Record<string, string>, status: number]>([
  ['the same secret', { URLMETA_SECRET: SECRET }, 303],
  ['another secret', { URLMETA_SECRET: 'a-secret-of-another-installation' }, 403],
  ['a generated secret', {}, 403],
])('a sign-in that starts on one process and continues on another with %s: %s', async (_, env, status) => {
  const shared = { ...BASE, URLMETA_SECRET: SECRET }
  await using first = await startApp({ env: shared })
  const parsed = parseConfig({ ...shared, URLMETA_DATA_DIR: first.dataDir })
  if ('errors' in parsed) throw new Error(parsed.errors.join('\n'))
  await using composed = await composeAccounts(parsed.config)
  const { token } = await composed.accounts.createSignInLink('jo@example.com')

  // The same accounts, as in a database that both use.
  const dataDir = mkdtempSync(join(tmpdir(), 'urlmeta-test-'))
  using database = new Database(join(first.dataDir, 'urlmeta.db'))
  database.run(`VACUUM INTO '${join(dataDir, 'urlmeta.db')}'`)
  await using second = await startApp({ env: { ...BASE, ...env, URLMETA_DATA_DIR: dataDir } })

  const page = await fetch(`${first.url}/sign-in/link?token=${token}`)
  const cookie = page.headers
    .getSetCookie()
    .map((line) => line.split(';')[0]!)
    .join('; ')
  const csrf = parse(await page.text())
    .querySelector('form[action="/sign-in/link"] [name=csrf]')!
    .getAttribute('value')!
  const posted = await fetch(`${second.url}/sign-in/link`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, accept: 'text/html' },
    body: new URLSearchParams({ token, csrf }),
  })
  expect(posted.status).toBe(status)
  expect(existsSync(join(first.dataDir, 'secret'))).toBe(false)
  rmSync(dataDir, { recursive: true })
})
