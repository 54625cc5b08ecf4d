import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openSecretFile } from '../../../src/store/files/secret-file.ts'

describe('the secret', () => {
  const folder = mkdtempSync(join(tmpdir(), 'urlmeta-secret-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  test('is created once, with mode 0600, and then stays the same', () => {
    const path = join(folder, 'secret')
    const secret = openSecretFile(path)
    // URLMETA_SECRET with the text of the file is the same secret.
    expect(new TextDecoder().decode(secret)).toBe(readFileSync(path, 'utf8'))
    expect(openSecretFile(path)).toEqual(secret)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['secret'])
  })

  test('is the same for processes that start at the same time', async () => {
    const module = join(import.meta.dir, '../../../src/store/files/secret-file.ts')
    const [count, race] = [4, join(folder, 'race')]
    mkdirSync(race)
    // Whoever is behind reads files instead of creating them, and catches up: many files are created at the same time.
    const script = `import { openSecretFile } from '${module}'
      import { readdirSync, writeFileSync } from 'node:fs'
      writeFileSync('${race}/ready ' + process.pid, '')
      while (readdirSync('${race}').filter((name) => name.startsWith('ready')).length < ${count}) Bun.sleepSync(1)
      for (let i = 0; i < 300; i++) process.stdout.write(openSecretFile('${race}/' + i))`
    const children = Array.from({ length: count }, () =>
      Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' }),
    )
    const secrets = await Promise.all(children.map((child) => child.stdout.text()))
    expect(new Set(secrets).size).toBe(1)
    expect(secrets[0]).toMatch(/^[0-9a-f]{19200}$/)
  })

  test('gets mode 0600 if others could read it', () => {
    const path = join(folder, 'open')
    writeFileSync(path, 'ab'.repeat(32))
    chmodSync(path, 0o644)
    openSecretFile(path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['empty', ''],
    ['too short', 'ab'.repeat(31)],
    ['something else', 'this is not a secret of this service'],
  ])('is rejected if %s', (name, text) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    chmodSync(path, 0o600)
    expect(() => openSecretFile(path)).toThrow('is not a urlmeta secret')
  })
})
