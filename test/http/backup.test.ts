import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { OPERATOR } from '../identity/people.ts'
import { PATIENT_TEST_MS } from '../patience.ts'
import type { Visited } from './browser.ts'
import { startSignInApp } from './sign-in-app.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const folder = mkdtempSync(join(tmpdir(), 'urlmeta-backups-'))
afterAll(() => rmSync(folder, { recursive: true }))

const BACKUP = '/admin/health/backup'
const noticeIn = ({ document }: Visited) => document.querySelector('.notice')?.text.trim()
const panelIn = ({ document }: Visited) =>
  document.querySelector('section[aria-labelledby=backups]')!.textContent.replaceAll(/\s+/g, ' ')

test('two operators who back up at once get one backup, which is in the audit log', async () => {
  await using service = await startSignInApp({ env: { URLMETA_BACKUP_DIR: join(folder, 'backups') } })
  const { app } = service
  const written = () => app.log.filter(({ msg }) => msg === 'backup written')
  await app.logged({ msg: 'backup written' })
  const operators = [await service.signedIn(OPERATOR), await service.signedIn(OPERATOR)]
  for (const operator of operators) await operator.get('/admin/health')
  const notices = await Promise.all(operators.map(async (operator) => noticeIn(await operator.send(BACKUP))))
  expect(notices).toContain('A backup is being created. Reload this page to see the result.')
  // On a busy machine, the response does not wait until it is written.
  while (written().length < 2) await Bun.sleep(1)
  const page = await operators[0]!.get('/admin/health')
  expect(panelIn(page)).toMatch(/Last backup ?just now, [\d.]+ KB/)
  expect(written()).toHaveLength(2)
  const audit = await operators[0]!.get('/admin/audit')
  const entries = audit.document.querySelectorAll('.log li').map(({ text }) => text)
  expect(entries.filter((text) => text.includes('started a backup'))).toHaveLength(1)
})

test('a backup that fails says why', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, 'not a directory')
  await using service = await startSignInApp({ env: { URLMETA_BACKUP_DIR: file } })
  await service.app.logged({ msg: 'backup failed; will retry' })
  const operator = await service.signedIn(OPERATOR)
  await operator.get('/admin/health')
  const page = await operator.send(BACKUP)
  expect([page.url.pathname, noticeIn(page)]).toEqual(['/admin/health', 'The backup failed.'])
  expect(panelIn(page)).toContain('Failed ENOTDIR')
  expect(service.app.log.filter(({ msg }) => msg === 'backup failed; will retry')).toHaveLength(2)
})

test('without a directory for backups, there is no button', async () => {
  await using service = await startSignInApp()
  const operator = await service.signedIn(OPERATOR)
  const page = await operator.get('/admin/health')
  expect([panelIn(page), page.document.querySelectorAll(`form[action="${BACKUP}"]`)]).toEqual([
    expect.stringContaining('URLMETA_BACKUP_DIR'),
    [],
  ])
  expect((await operator.send(BACKUP)).status).toBe(404)
})
