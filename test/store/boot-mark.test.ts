import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { bootMark } from '../../src/store/sqlite/boot-mark.ts'

/** A directory with a database file. */
function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'urlmeta-boot-mark-'))
  const database = join(folder, 'cache.db')
  writeFileSync(database, '')
  return { database, mark: `${database}-boot`, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
}

describe('the mark of the boot', () => {
  test.each([
    ['none', null, 'this', false],
    ['of this boot', 'this', 'this', false],
    ['of this boot, with a line break', 'this\n', 'this', false],
    ['of an earlier boot', 'earlier', 'this', true],
    ['that was cut off', '', 'this', true],
    ['on a system without boot ids', 'earlier', null, true],
  ])('%s', (_, content, bootId, expected) => {
    using folder = openFolder()
    if (content !== null) writeFileSync(folder.mark, content)
    expect(bootMark(folder.database, bootId).isFromEarlierBoot()).toBe(expected)
  })

  test('that cannot be read counts as one of an earlier boot', () => {
    using folder = openFolder()
    mkdirSync(folder.mark)
    expect(bootMark(folder.database, 'this').isFromEarlierBoot()).toBe(true)
  })

  test('is readable by its owner only', () => {
    using folder = openFolder()
    const mark = bootMark(folder.database, 'this')
    expect(mark.set()).toBe(true)
    expect([readFileSync(folder.mark, 'utf8'), statSync(folder.mark).mode & 0o777]).toEqual(['this', 0o600])
    expect(mark.set()).toBe(true)
    mark.clear()
    expect(existsSync(folder.mark)).toBe(false)
  })

  test('of this boot is not written again, which a full disk could interrupt', () => {
    using folder = openFolder()
    writeFileSync(folder.mark, 'this\n')
    expect(bootMark(folder.database, 'this').set()).toBe(true)
    expect(readFileSync(folder.mark, 'utf8')).toBe('this\n')
  })

  test.each([
    ['there is no boot id', null, () => {}],
    ['the file cannot be written', 'this', (path: string) => mkdirSync(path)],
  ])('cannot be set if %s', (_, bootId, prepare) => {
    using folder = openFolder()
    prepare(folder.mark)
    expect(bootMark(folder.database, bootId).set()).toBe(false)
  })
})
