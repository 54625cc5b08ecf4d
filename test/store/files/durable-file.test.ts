import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { replaceFile } from '../../../src/store/files/durable-file.ts'
import { describeProgram } from '../../requirements.ts'

describe('a file that is replaced', () => {
  const folder = mkdtempSync(join(tmpdir(), 'urlmeta-durable-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const [draft, path] = [join(folder, 'draft'), join(folder, 'file')]

  test('has the content of the draft', () => {
    writeFileSync(path, 'old')
    writeFileSync(draft, 'new')
    replaceFile(draft, path)
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['file'], 'new'])
  })

  describeProgram('strace', (strace) => {
    test('is on disk before it has its name, and its name is on disk at the end', async () => {
      writeFileSync(draft, 'new')
      const module = join(import.meta.dir, '../../../src/store/files/durable-file.ts')
      const script = `import { replaceFile } from '${module}'; replaceFile('${draft}', '${path}')`
      const calls = join(folder, 'calls')
      const options = ['-f', '-y', '-e', 'trace=fsync,fdatasync,rename,renameat,renameat2', '-o', calls]
      const child = Bun.spawn([strace, ...options, process.execPath, '-e', script])
      expect(await child.exited).toBe(0)
      const made = readFileSync(calls, 'utf8').matchAll(/ (fsync|rename)\w*\(.*?[<"](\/[^>"]*)/g)
      expect(Array.from(made, ([, call, file]) => [call, file])).toEqual([
        ['fsync', draft],
        ['rename', draft],
        ['fsync', folder],
      ])
    })
  })
})
