import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { DRAIN_MS } from '../../src/core/limits.ts'
import { describeProgram } from '../requirements.ts'

const DEPLOY = join(import.meta.dir, '../../docs/deploy')
const unit = await Bun.file(join(DEPLOY, 'urlmeta.service')).text()

/** The last value of a setting, or null. */
function setting(name: string): string | null {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].at(-1)?.[1] ?? null
}

describe('the unit', () => {
  test('lets requests in progress finish', () => {
    expect(Number(setting('TimeoutStopSec')) * 1000).toBeGreaterThan(DRAIN_MS)
    expect(setting('KillMode')).toBe('mixed')
  })

  test('allows what the sandbox of Chromium needs', () => {
    expect(setting('RestrictNamespaces')?.split(' ').toSorted()).toEqual(['net', 'pid', 'user'])
    expect(unit).toMatch(/^SystemCallFilter=@system-service.* chroot$/m)
    expect(setting('RestrictAddressFamilies')).toContain('AF_NETLINK')
    expect(setting('MemoryDenyWriteExecute')).toBeNull()
  })

  test('has the database in a writable directory, and names the setting for another one', async () => {
    expect(unit).toMatch(/^# URLMETA_BACKUP_DIR .* ReadWritePaths=/m)
    expect(await Bun.file(join(DEPLOY, '../backup.md')).text()).toContain('`ReadWritePaths=')
    expect(unit).toContain(`Environment=URLMETA_DATA_DIR=/var/lib/${setting('StateDirectory')}\n`)
  })
})

describeProgram('systemd-analyze', (analyze) => {
  test('finds no problem', () => {
    const folder = mkdtempSync(join(tmpdir(), 'urlmeta-unit-'))
    try {
      const path = join(folder, 'urlmeta.service')
      // Programs that need not be installed for the tests.
      const here = unit.replace('/usr/local/bin/urlmeta', process.execPath).replace(/^Documentation=.*\n/m, '')
      writeFileSync(path, here)
      const { exitCode, stderr } = Bun.spawnSync([analyze, 'verify', '--recursive-errors=no', path])
      expect([exitCode, stderr.toString()]).toEqual([0, ''])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('rates it below 2, as documented', async () => {
    const path = join(DEPLOY, 'urlmeta.service')
    const { stdout } = Bun.spawnSync([analyze, 'security', '--offline=true', '--no-pager', path])
    const score = /Overall exposure level for urlmeta\.service: (\d+\.\d)/.exec(stdout.toString())?.[1]
    expect(Number(score)).toBeLessThan(2)
    // The score depends on the version of systemd; the documented one is from Debian 12.
    const page = await Bun.file(join(DEPLOY, 'README.md')).text()
    if (Bun.spawnSync([analyze, '--version']).stdout.toString().startsWith('systemd 252 '))
      expect(page).toContain(`urlmeta.service: ${score} OK`)
  })
})
