// The executable on processors that this machine does not have, emulated by qemu: ARM, and x86-64 without AVX.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { buildExecutable, bundledPackages, licensesOf } from '../build.ts'
import { PLATFORMS, readLock, runtimeOf } from '../release.ts'
import { EXECUTABLE, openWorkspace, type Service, type Workspace } from './executable.ts'
import { freePort } from './free-port.ts'
import { createBrowser } from './http/browser.ts'
import { signInBy } from './http/sign-in-app.ts'
import { startOidc } from './identity/oidc.ts'
import { CLIENT, JO } from './identity/people.ts'
import { createKeyOf } from './new-key.ts'
import { describeProgram } from './requirements.ts'
import { openSite } from './site.ts'
import { fixtureOf } from './store/database-fixtures.ts'

/** Emulation takes about ten times as long. */
setDefaultTimeout(300_000)

/** Where Debian's package libc6-arm64-cross installs the C library. */
const ARM_LIBRARIES = '/usr/aarch64-linux-gnu'

const folder = mkdtempSync(join(tmpdir(), 'urlmeta-processors-'))
afterAll(() => rmSync(folder, { recursive: true }))

const site = openSite()
afterAll(() => site.close())

/** A script that runs an executable in the emulator. */
function emulated(name: string, command: readonly string[]): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\nexec ${command.join(' ')} "$@"\n`)
  chmodSync(path, 0o755)
  return path
}

async function buildForArm(): Promise<string> {
  const { target, runtime } = PLATFORMS.find(({ name }) => name === 'linux-arm64')!
  const executable = join(folder, 'urlmeta-arm64')
  const licenses = await licensesOf(await bundledPackages())
  await buildExecutable(executable, licenses, { target, runtime: await runtimeOf(runtime, await readLock()) })
  return executable
}

const PROCESSORS: [program: string, name: string, command: (qemu: string) => Promise<string[]>][] = [
  ['qemu-aarch64', 'ARM', async (qemu) => [qemu, '-L', ARM_LIBRARIES, await buildForArm()]],
  ['qemu-x86_64', 'x86-64 without AVX', async (qemu) => [qemu, '-cpu', 'Nehalem', EXECUTABLE]],
]

for (const [program, name, commandOf] of PROCESSORS) {
  describeProgram(program, (qemu) => {
    let executable: string
    beforeAll(async () => {
      if (program === 'qemu-aarch64' && !existsSync(ARM_LIBRARIES))
        throw new Error('libc6-arm64-cross is not installed')
      executable = emulated(program, await commandOf(qemu))
    })
    // The server reads pages in two threads, as on a machine with four cores.
    const env = { ...site.env, URLMETA_WORKERS: '2' }

    const metadataOf = async (service: Service, key: string, path: string) => {
      const response = await site.request(service, key, path)
      return [response.status, response.headers.get('x-cache'), response.headers.get('x-ratelimit-limit')]
    }

    test(`${name}: version, and pages without a server`, async () => {
      await using workspace = openWorkspace(executable)
      expect((await workspace.run(['version'])).stdout).toMatch(/^urlmeta \d/)
      const urls = Array.from({ length: 10 }, (_, i) => site.urlOf(`/${i}`))
      writeFileSync(join(workspace.dir, 'urls.txt'), urls.join('\n'))
      const { code, stdout } = await workspace.run(['fetch', '--file', 'urls.txt'], env)
      const lines = stdout.trimEnd().split('\n')
      expect([code, lines.map((line) => JSON.parse(line))]).toEqual([
        0,
        urls.map((url) => expect.objectContaining({ url, title: 'A saved page' })),
      ])
    })

    test(`${name}: a server with a key, limits and a cache, which stay after a restart and a crash`, async () => {
      await using workspace = openWorkspace(executable)
      const key = await createKeyOf('you@example.com', workspace)
      const service = await workspace.serve(env)
      expect(await metadataOf(service, key, '/page')).toEqual([200, 'MISS', '10'])
      expect(await metadataOf(service, key, '/page')).toEqual([200, 'HIT', '10'])
      expect((await site.request(service, 'urlmeta_live_0', '/page')).status).toBe(401)
      service.kill('SIGTERM')
      expect(await service.exited).toBe(0)
      const restarted = await workspace.serve(env)
      expect(await metadataOf(restarted, key, '/page')).toEqual([200, 'HIT', '10'])
      restarted.kill('SIGKILL')
      await restarted.exited
      const recovered = await workspace.serve(env)
      expect(await metadataOf(recovered, key, '/page')).toEqual([200, 'HIT', '10'])
    })

    test(`${name}: a database of the first version is upgraded, and checked`, async () => {
      await using workspace = openWorkspace(executable)
      await writeDatabase(workspace)
      expect((await workspace.run(['user', 'list', '--json'])).code).toBe(0)
      const { stdout } = await workspace.run(['doctor', '--json', '--url', site.urlOf('/')], site.env)
      const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string }[] }
      expect(checks.length).toBeGreaterThan(10)
      const failed = checks.flatMap((check) => (check.status === 'failed' ? [check.name] : []))
      // The database is checked in another process, and the system cannot start a program for another processor.
      expect(failed).toEqual(program === 'qemu-aarch64' ? ['database'] : [])
    })

    test(`${name}: sign-in with OpenID Connect`, async () => {
      await using workspace = openWorkspace(executable)
      await using oidc = await startOidc()
      const base = `http://localhost:${freePort()}`
      oidc.open(`${base}/sign-in/google/callback`)
      await workspace.serve({
        ...env,
        URLMETA_PORT: new URL(base).port,
        URLMETA_GOOGLE_CLIENT_ID: CLIENT.id,
        URLMETA_GOOGLE_CLIENT_SECRET: CLIENT.secret,
        URLMETA_GOOGLE_ISSUER: oidc.issuer,
      })
      const browser = createBrowser(base)
      expect((await signInBy(browser, JO, 'google')).status).toBe(200)
      expect((await browser.get('/account')).body).toContain(JO.email)
    })
  })
}

async function writeDatabase({ dir }: Workspace) {
  mkdirSync(join(dir, 'data'), { mode: 0o700 })
  using database = new Database(join(dir, 'data/urlmeta.db'), { create: true })
  database.run(await Bun.file(fixtureOf('sqlite', '0000_init')).text())
}
