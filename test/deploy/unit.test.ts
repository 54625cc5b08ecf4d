import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { DRAIN_MS } from '../../src/core/limits.ts'
import { describeProgram } from '../requirements.ts'

const DEPLOY = join(import.meta.dir, '../../docs/deploy')
const unit = await Bun.file(join(DEPLOY, 'urlmeta.service')).text()

/** The last value of a setting; null where there is none. */
function setting(name: string): string | null {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].at(-1)?.[1] ?? null
}

describe('the unit', () => {
  test('lets requests under way finish', () => {
    expect(Number(setting('TimeoutStopSec')) * 1000).toBeGreaterThan(DRAIN_MS)
    expect(setting('KillMode')).toBe('mixed')
  })

  test('leaves Chromium what its sandbox needs', () => {
    expect(setting('RestrictNamespaces')?.split(' ').toSorted()).toEqual(['net', 'pid', 'user'])
    expect(unit).toMatch(/^SystemCallFilter=@system-service.* chroot$/m)
    expect(setting('RestrictAddressFamilies')).toContain('AF_NETLINK')
    expect(setting('MemoryDenyWriteExecute')).toBeNull()
  })

  test('keeps the database where the service may write', () => {
    expect(unit).toContain(`Environment=URLMETA_DATA_DIR=/var/lib/${setting('StateDirectory')}\n`)
  })
})

describeProgram('systemd-analyze', (analyze) => {
  test('finds no fault in it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'urlmeta-unit-'))
    try {
      const path = join(folder, 'urlmeta.service')
      // What need not be installed where the tests run.
      const here = unit.replace('/usr/local/bin/urlmeta', process.execPath).replace(/^Documentation=.*\n/m, '')
      writeFileSync(path, here)
      const { exitCode, stderr } = Bun.spawnSync([analyze, 'verify', '--recursive-errors=no', path])
      expect([exitCode, stderr.toString()]).toEqual([0, ''])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('scores it below 2, and as the documentation says', async () => {
    const path = join(DEPLOY, 'urlmeta.service')
    const { stdout } = Bun.spawnSync([analyze, 'security', '--offline=true', '--no-pager', path])
    const score = /Overall exposure level for urlmeta\.service: (\d+\.\d)/.exec(stdout.toString())?.[1]
    expect(Number(score)).toBeLessThan(2)
    // Other releases of systemd look at a few more or fewer things; Debian 12 is the one in the documentation.
    const page = await Bun.file(join(DEPLOY, 'README.md')).text()
    if (Bun.spawnSync([analyze, '--version']).stdout.toString().startsWith('systemd 252 '))
      expect(page).toContain(`urlmeta.service: ${score} OK`)
  })
})
