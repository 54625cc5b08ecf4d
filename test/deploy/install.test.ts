import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { PLATFORMS, writeChecksums } from '../../release.ts'
import { makeCertificates } from '../origin/certificates.ts'
import { describeProgram } from '../requirements.ts'

const SCRIPT = join(import.meta.dir, '../../docs/deploy/install.sh')

/** The name of this machine's platform in a release; tests run with glibc. */
const NAME = `urlmeta-${process.platform}-${process.arch}`

const folder = mkdtempSync(join(tmpdir(), 'urlmeta-install-'))
const files = join(folder, 'files')
const prefix = join(folder, 'prefix')
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch({ url }) {
    const file = Bun.file(join(files, new URL(url).pathname))
    return (await file.exists()) ? new Response(file) : new Response('', { status: 404 })
  },
})
const address = `http://127.0.0.1:${server.port}`

afterAll(async () => {
  await server.stop(true)
  rmSync(folder, { recursive: true })
})

/** Publishes a release as release.ts does, with a script as the executable. */
async function publish(version: string, script = `echo urlmeta ${version}`, name = NAME): Promise<void> {
  const content = join(folder, name)
  mkdirSync(content, { recursive: true })
  await Bun.write(join(content, 'urlmeta'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(content, 'urlmeta'), 0o755)
  await Bun.write(join(content, 'urlmeta.1'), `.TH URLMETA 1 "" "urlmeta ${version}"\n`)
  mkdirSync(files, { recursive: true })
  const { success } = Bun.spawnSync(['tar', '-czf', join(files, `${name}.tar.gz`), '-C', folder, name])
  expect(success).toBe(true)
  await writeChecksums(files)
}

async function install(args: string[] = ['--prefix', prefix, address], env: Record<string, string> = {}) {
  // With the umask of a hardened machine.
  const child = Bun.spawn(['sh', '-c', 'umask 077 && exec sh "$0" "$@"', SCRIPT, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
  return { code, stdout, stderr }
}

const versionOf = (file: string) =>
  Bun.spawnSync([join(prefix, 'bin', file), 'version'])
    .stdout.toString()
    .trim()

beforeEach(async () => {
  for (const path of [files, prefix]) rmSync(path, { recursive: true, force: true })
  await publish('1.0.0')
})

test('this machine is a platform of a release', () => {
  expect(PLATFORMS.map(({ name }) => `urlmeta-${name}`)).toContain(NAME)
})

describe('a release with correct checksums', () => {
  test('is installed, with its manual page', async () => {
    const program = join(prefix, 'bin/urlmeta')
    expect(await install()).toEqual({ code: 0, stdout: `urlmeta 1.0.0 is installed as ${program}\n`, stderr: '' })
    expect(versionOf('urlmeta')).toBe('urlmeta 1.0.0')
    expect(statSync(program).mode & 0o777).toBe(0o755)
    for (const directory of ['bin', 'share/man/man1'])
      expect(statSync(join(prefix, directory)).mode & 0o777).toBe(0o755)
    expect(await Bun.file(join(prefix, 'share/man/man1/urlmeta.1')).text()).toContain('1.0.0')
    expect(readdirSync(join(prefix, 'bin'))).toEqual(['urlmeta'])
  })

  test('replaces an older one, which is kept', async () => {
    await install()
    await publish('1.1.0')
    expect((await install()).stdout).toEndWith(`The previous version is ${join(prefix, 'bin/urlmeta.previous')}\n`)
    await publish('1.2.0')
    expect((await install()).code).toBe(0)
    expect([versionOf('urlmeta'), versionOf('urlmeta.previous')]).toEqual(['urlmeta 1.2.0', 'urlmeta 1.1.0'])
    expect(readdirSync(join(prefix, 'bin')).toSorted()).toEqual(['urlmeta', 'urlmeta.previous'])
  })

  test('installed twice, still keeps the older one', async () => {
    await install()
    await publish('1.1.0')
    await install()
    expect((await install()).code).toBe(0)
    expect([versionOf('urlmeta'), versionOf('urlmeta.previous')]).toEqual(['urlmeta 1.1.0', 'urlmeta 1.0.0'])
  })

  test('is found at a URL that ends in a slash', async () => {
    expect((await install(['--prefix', prefix, `${address}/`])).code).toBe(0)
  })
})

describe('on another machine', () => {
  const programs = join(folder, 'programs')
  const calls = join(programs, 'calls')

  /** Installs with these programs, given as bodies of scripts, first in the PATH. */
  async function installWith(scripts: Record<string, string>) {
    rmSync(programs, { recursive: true, force: true })
    for (const [name, script] of Object.entries(scripts)) {
      await Bun.write(join(programs, name), `#!/bin/sh\n${script}\n`)
      chmodSync(join(programs, name), 0o755)
    }
    return install(undefined, { PATH: `${programs}:${process.env['PATH']}` })
  }

  const uname = (system: string, processor: string) => `case $1 in -s) echo ${system} ;; -m) echo ${processor} ;; esac`
  const glibc = 'echo "ldd (Debian GLIBC 2.36-9) 2.36"'
  const musl = 'echo "musl libc (x86_64)" >&2; exit 1'

  test.each<[name: string, system: string, processor: string, ldd: string]>([
    ['linux-x64', 'Linux', 'x86_64', glibc],
    ['linux-x64', 'Linux', 'amd64', 'exit 127'],
    ['linux-arm64', 'Linux', 'aarch64', glibc],
    ['linux-x64-musl', 'Linux', 'x86_64', musl],
    ['linux-arm64-musl', 'Linux', 'aarch64', musl],
    ['darwin-arm64', 'Darwin', 'arm64', 'exit 127'],
    ['darwin-x64', 'Darwin', 'x86_64', 'exit 127'],
  ])('%s is for %s on %s', async (name, system, processor, ldd) => {
    expect(PLATFORMS.map((platform) => platform.name)).toContain(name)
    rmSync(files, { recursive: true })
    await publish('1.0.0', undefined, `urlmeta-${name}`)
    expect(await installWith({ uname: uname(system, processor), ldd })).toMatchObject({ code: 0, stderr: '' })
  })

  test.each([
    ['FreeBSD', 'x86_64', 'there is no build for FreeBSD that this script can install'],
    ['Linux', 'riscv64', 'there is no build for the processor riscv64'],
  ])('%s on %s is not supported', async (system, processor, message) => {
    const { code, stderr } = await installWith({ uname: uname(system, processor) })
    expect([code, stderr.trimEnd()]).toEqual([1, `install.sh: ${message}`])
  })

  test.each([
    ['with an invalid signature is signed', false, ['--verify', '--force']],
    ['with a valid signature is not changed', true, ['--verify']],
  ])('an executable %s', async (_, isSigned, expected) => {
    const codesign = `echo "$1" >>"${calls}"; [ "$1" != --verify ] || ${isSigned}`
    expect((await installWith({ codesign })).code).toBe(0)
    expect((await Bun.file(calls).text()).trimEnd().split('\n')).toEqual(expected)
  })
})

describe('over https', async () => {
  const { authority, good } = await makeCertificates(['localhost'])
  const trusted = join(folder, 'authority.pem')
  const settings = join(folder, 'wgetrc')
  const trustingTest = { CURL_CA_BUNDLE: trusted, WGETRC: settings }
  beforeAll(async () => {
    await Bun.write(trusted, authority)
    await Bun.write(settings, `ca_certificate = ${trusted}\n`)
  })

  /** Serves the files of the release, or redirects to `target` with the path. */
  const overTls = (target: string | null = null) =>
    Bun.serve({
      port: 0,
      hostname: 'localhost',
      tls: good,
      fetch({ url }) {
        const { pathname } = new URL(url)
        return target === null ? new Response(Bun.file(join(files, pathname))) : Response.redirect(target + pathname)
      },
    })

  test.each([
    ['without a redirect', () => null, 0],
    ['with a redirect to https', (https: string) => https, 0],
    ['with a redirect to http', () => address, 1],
  ])('%s', async (_, targetOf, code) => {
    await using https = overTls()
    await using first = overTls(targetOf(https.url.origin))
    const result = await install(['--prefix', prefix, first.url.origin], trustingTest)
    expect([result.code, existsSync(prefix)]).toEqual([code, code === 0])
    if (code !== 0) expect(result.stderr).toContain(`install.sh: cannot download ${first.url.origin}/SHA256SUMS`)
  })

  test('without curl, nothing is downloaded', async () => {
    const programs = join(folder, 'without-curl')
    mkdirSync(programs)
    const used = 'awk chmod cmp cp cut grep gzip ldd ln mkdir mktemp mv rm sh sha256sum shasum tar uname wget'
    for (const name of used.split(' ')) {
      const program = Bun.which(name)
      if (program !== null) symlinkSync(program, join(programs, name))
    }
    await using first = overTls(address)
    const result = await install(['--prefix', prefix, first.url.origin], { ...trustingTest, PATH: programs })
    expect(result).toEqual({ code: 1, stdout: '', stderr: 'install.sh: curl is needed\n' })
    expect(existsSync(prefix)).toBe(false)
  })
})

describe('a failure does not change the installed version', () => {
  beforeEach(async () => {
    await install()
    await publish('6.6.6')
  })

  const tamper = async (name: string, change: (bytes: Buffer) => Buffer | string) => {
    const path = join(files, name)
    await Bun.write(path, change(Buffer.from(await Bun.file(path).bytes())))
  }

  test.each<[name: string, change: () => Promise<unknown> | void, message: string]>([
    [
      'a modified archive',
      () => tamper(`${NAME}.tar.gz`, (bytes) => Buffer.concat([bytes, Buffer.from('!')])),
      `${NAME}.tar.gz does not match SHA256SUMS`,
    ],
    [
      'a truncated archive',
      () => tamper(`${NAME}.tar.gz`, (bytes) => bytes.subarray(0, bytes.length - 1)),
      `${NAME}.tar.gz does not match SHA256SUMS`,
    ],
    [
      'another checksum',
      () => tamper('SHA256SUMS', (bytes) => bytes.toString().replace(/^[0-9a-f]{64}/, '0'.repeat(64))),
      `${NAME}.tar.gz does not match SHA256SUMS`,
    ],
    ['checksums without the archive', () => tamper('SHA256SUMS', () => ''), `SHA256SUMS does not have ${NAME}.tar.gz`],
    [
      'two checksums of the archive',
      () => tamper('SHA256SUMS', (bytes) => bytes.toString().repeat(2)),
      `SHA256SUMS does not have ${NAME}.tar.gz`,
    ],
    ['no checksums', () => rmSync(join(files, 'SHA256SUMS')), `cannot download ${address}/SHA256SUMS`],
    ['no archive', () => rmSync(join(files, `${NAME}.tar.gz`)), `cannot download ${address}/${NAME}.tar.gz`],
    [
      'an executable that does not run',
      () => publish('6.6.6', 'exit 1'),
      'the executable does not run on this machine',
    ],
  ])('%s', async (_, change, message) => {
    await change()
    const { code, stderr } = await install()
    expect([code, stderr]).toEqual([1, expect.stringContaining(`install.sh: ${message}`)])
    expect(versionOf('urlmeta')).toBe('urlmeta 1.0.0')
    expect(readdirSync(join(prefix, 'bin'))).toEqual(['urlmeta'])
  })
})

describe('refuses', () => {
  test.each<[name: string, args: string[], code: number, message: string]>([
    ['no URL', [], 2, 'usage: install.sh'],
    ['two URLs', [address, address], 1, 'install.sh: one URL is needed, not two'],
    ['an unknown option', ['--force', address], 1, 'install.sh: unknown option --force'],
    ['a prefix without a directory', ['--prefix'], 1, 'install.sh: --prefix needs a directory'],
    ['http to another machine', ['http://example.com/v1'], 1, 'install.sh: not an https URL: http://example.com/v1'],
    ['an empty prefix', ['--prefix', '', address], 1, 'install.sh: --prefix needs a directory'],
    ['a user name like loopback', ['http://localhost:80@example.com/v1'], 1, 'install.sh: not an https URL'],
    ['a host that only begins like loopback', ['http://127.0.0.1.example.com/'], 1, 'install.sh: not an https URL'],
  ])('%s', async (_, args, code, message) => {
    const result = await install(['--prefix', prefix, ...args])
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)])
    expect(existsSync(prefix)).toBe(false)
  })
})

describeProgram('shellcheck', (shellcheck) => {
  test('finds no problem in install.sh', () => {
    expect(Bun.spawnSync([shellcheck, '--shell=sh', SCRIPT]).stdout.toString()).toBe('')
  })
})
