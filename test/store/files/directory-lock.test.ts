import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import {
  DirectoryLockedError,
  lockDirectory,
  recordOrigin,
  serverOrigin,
  serverPid,
} from '../../../src/store/files/directory-lock.ts'

describe('a locked directory', () => {
  const folder = mkdtempSync(join(tmpdir(), 'urlmeta-lock-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  let directories = 0
  const newPath = () => {
    const path = join(folder, String(directories++))
    mkdirSync(path)
    return path
  }

  /** The process id of the holder; `nobody` if the lock was free. */
  function holderOf(path: string): number | 'nobody' | null {
    try {
      using _ = lockDirectory(path)
      return 'nobody'
    } catch (error) {
      if (error instanceof DirectoryLockedError) return error.pid
      throw error
    }
  }

  test('cannot be locked again until released; the error has the process id of the holder', () => {
    const path = newPath()
    const lock = lockDirectory(path)
    expect([holderOf(path), holderOf(path)]).toEqual([process.pid, process.pid])
    lock[Symbol.dispose]()
    expect(holderOf(path)).toBe('nobody')
  })

  test('has the process id of its holder, which can be read without the lock', () => {
    const path = newPath()
    expect(serverPid(path)).toBeNull()
    using _ = lockDirectory(path)
    expect(serverPid(path)).toBe(process.pid)
  })

  test('has the origin of its server while the server runs', () => {
    const path = newPath()
    const lock = lockDirectory(path)
    expect(serverOrigin(path)).toBeNull()
    recordOrigin(path, 'https://meta.example')
    expect([serverOrigin(path), serverPid(path)]).toEqual(['https://meta.example', process.pid])
    lock[Symbol.dispose]()
    expect(serverOrigin(path)).toBeNull()
  })

  test.each([
    ['of a process that does not run', '2147483647\nhttp://localhost:80\n'],
    ['that was not written completely', `${process.pid}\nhttp://localhost:80`],
    ['of another kind', `${process.pid}\njavascript:alert(1)\n`],
    ['with a space', `${process.pid}\nhttp://a b\n`],
  ])('has no origin %s', (_, text) => {
    const path = newPath()
    writeFileSync(join(path, 'serve.pid'), text)
    expect(serverOrigin(path)).toBeNull()
  })

  test('is released when its holder is killed', async () => {
    const path = newPath()
    const module = join(import.meta.dir, '../../../src/store/files/directory-lock.ts')
    const script = `import { lockDirectory } from '${module}'
      const lock = lockDirectory('${path}')
      console.log('locked')
      setInterval(() => lock, 1_000)`
    const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
    await child.stdout.getReader().read()
    expect(holderOf(path)).toBe(child.pid)
    child.kill('SIGKILL')
    await child.exited
    expect(holderOf(path)).toBe('nobody')
  })

  test('is locked by only one of several processes that start at the same time', async () => {
    const path = newPath()
    const module = join(import.meta.dir, '../../../src/store/files/directory-lock.ts')
    const script = `import { lockDirectory } from '${module}'
      try {
        const lock = lockDirectory('${path}')
        console.log('locked')
        process.stdin.on('end', () => lock[Symbol.dispose]()).resume()
      } catch (error) {
        console.log(error.name)
      }`
    const children = Array.from({ length: 4 }, () =>
      Bun.spawn([process.execPath, '-e', script], { stdin: 'pipe', stdout: 'pipe' }),
    )
    const firstWords = await Promise.all(
      children.map(async (child) => new TextDecoder().decode((await child.stdout.getReader().read()).value).trim()),
    )
    for (const child of children) void child.stdin.end()
    await Promise.all(children.map((child) => child.exited))
    expect(firstWords.toSorted()).toEqual([...Array(3).fill('DirectoryLockedError'), 'locked'])
  })

  test('has files with mode 0600', () => {
    const path = newPath()
    using _ = lockDirectory(path)
    const modes = readdirSync(path).map((file) => [file, statSync(join(path, file)).mode & 0o777])
    expect(Object.fromEntries(modes)).toEqual({ 'serve.lock': 0o600, 'serve.pid': 0o600 })
  })
})
