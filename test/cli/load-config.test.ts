import { describe, expect, test } from 'bun:test'
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { EXECUTABLE, openWorkspace, type Workspace } from '../executable.ts'
import { describeRoot } from '../small-disk.ts'

async function settings(workspace: Workspace, env?: Record<string, string>) {
  const { stdout } = await workspace.run(['config', '--json'], env)
  return JSON.parse(stdout) as Record<string, { value: string; source: string }>
}

describe('.env', () => {
  test('is read; a variable of the environment overrides it unless it is empty; $ is an ordinary character', async () => {
    await using workspace = openWorkspace()
    await Bun.write(
      join(workspace.dir, '.env'),
      '# comment\nURLMETA_PORT=4321\nexport URLMETA_HOST="::1" # here\nURLMETA_USER_AGENT=a$HOME\nOTHER=1\n',
    )
    expect(await settings(workspace, { URLMETA_PORT: '99', URLMETA_HOST: '' })).toMatchObject({
      URLMETA_PORT: { value: '99', source: 'set' },
      URLMETA_HOST: { value: '::1', source: 'set' },
      URLMETA_USER_AGENT: { value: 'a$HOME', source: 'set' },
    })
  })

  test('may have a byte-order mark, Windows line endings, and anything for other programs', async () => {
    await using workspace = openWorkspace()
    await Bun.write(
      join(workspace.dir, '.env'),
      '\uFEFFURLMETA_PORT=4321\r\nURLMETA_HOST = ::1\r\nNOT SET\r\nKEY="one\r\ntwo"\r\n',
    )
    expect(await settings(workspace)).toMatchObject({
      URLMETA_PORT: { value: '4321', source: 'set' },
      URLMETA_HOST: { value: '::1', source: 'set' },
    })
  })

  test.each(['.env.local', '.env.development', '.env.production', '.env.development.local'])(
    '%s is not read',
    async (name) => {
      await using workspace = openWorkspace()
      await Bun.write(join(workspace.dir, name), 'URLMETA_PORT=4321\n')
      expect(await settings(workspace)).toMatchObject({ URLMETA_PORT: { value: '3000', source: 'default' } })
    },
  )

  test.each<[name: string, prepare: (path: string) => void, problem: RegExp]>([
    ['a directory', (path) => mkdirSync(path), /is a directory, expected a file$/],
    ['a FIFO', (path) => Bun.spawnSync(['mkfifo', path]), /is a FIFO, expected a file$/],
    ['a file that cannot be opened', (path) => symlinkSync('.env', path), /cannot be read \(ELOOP\)$/],
    ['a file in UTF-16', (path) => writeFileSync(path, '\uFEFFURLMETA_PORT=80\n', 'utf16le'), /is not UTF-8$/],
    [
      'a line without =',
      (path) => writeFileSync(path, '\nexport URLMETA_PORT 80\n'),
      /line 2: expected URLMETA_PORT=value$/,
    ],
    [
      'a line with a colon',
      (path) => writeFileSync(path, 'URLMETA_PORT: 80\n'),
      /line 1: expected URLMETA_PORT=value$/,
    ],
    ...['=abc#def', ' = a b#c # d', '=a#', '=#a'].map((text): [string, (path: string) => void, RegExp] => [
      `a value with # (${text})`,
      (path) => writeFileSync(path, `URLMETA_HOST=::1 # a comment\nURLMETA_METRICS_TOKEN${text}\n`),
      /line 2: quote URLMETA_METRICS_TOKEN, because # starts a comment$/,
    ]),
    ...[`="a"b"`, ` = 'it''s'`, '=`a` b'].map((text): [string, (path: string) => void, RegExp] => [
      `text after a quote (${text})`,
      (path) => writeFileSync(path, `export URLMETA_SECRET="a#b" # a comment\nURLMETA_OPERATORS${text}\n`),
      /line 2: text after the quotes of URLMETA_OPERATORS$/,
    ]),
  ])('%s is an error that names it', async (_, prepare, problem) => {
    await using workspace = openWorkspace()
    prepare(join(workspace.dir, '.env'))
    for (const args of [['serve'], ['config'], ['key', 'list'], ['fetch', 'http://a.test/']]) {
      const { code, stdout, stderr } = await workspace.run(args)
      expect([code, stdout]).toEqual([2, ''])
      const [first, second] = stderr.trimEnd().split('\n')
      expect(first).toBe('urlmeta: invalid configuration:')
      expect(second).toStartWith(`  ${workspace.dir}/.env: `)
      expect(second).toMatch(problem)
    }
    // Commands that need no settings still work.
    expect(await workspace.run(['version'])).toMatchObject({ code: 0, stderr: '' })
  })
})

describeRoot('in a directory that the user cannot enter', () => {
  test('there is no .env file', async () => {
    await using workspace = openWorkspace()
    const program = join(workspace.dir, 'urlmeta')
    copyFileSync(EXECUTABLE, program)
    chmodSync(workspace.dir, 0o755)
    const home = join(workspace.dir, 'home')
    mkdirSync(home, 0o700)
    await Bun.write(join(home, '.env'), 'URLMETA_PORT=4321\n')
    const asOther = 'setpriv --reuid=65533 --regid=65533 --clear-groups'
    const { code, stdout } = await workspace.shell(`cd '${home}' && ${asOther} '${program}' config --json`)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ URLMETA_PORT: { value: '3000', source: 'default' } })
    // A link into it is not followed, which is an error.
    symlinkSync(join(home, '.env'), join(workspace.dir, '.env'))
    const linked = await workspace.shell(`${asOther} '${program}' config --json`)
    expect([linked.code, linked.stderr]).toEqual([2, expect.stringContaining('cannot be read (EACCES)')])
  })
})

describe('serve', () => {
  test.each<[option: string, value: string, problem: string]>([
    ['--port', '65536', '--port: expected 0 to 65535, got "65536"'],
    ['--port', '', '--port: expected a value, got ""'],
    ['--host', 'a b', '--host: expected an IP address or host name, got "a b"'],
    ['--host', '', '--host: expected a value, got ""'],
    ['--data-dir', '~/data', '--data-dir: expected a path without ~, which only a shell expands, got "~/data"'],
    ['--data-dir', '', '--data-dir: expected a value, got ""'],
  ])('%s %j is invalid', async (option, value, problem) => {
    await using workspace = openWorkspace()
    expect(await workspace.run(['serve', option, value])).toEqual({
      code: 2,
      stdout: '',
      stderr: `urlmeta: invalid configuration:\n  ${problem}\n`,
    })
  })

  test('its options override the variables, even invalid ones', async () => {
    await using workspace = openWorkspace()
    const env = { URLMETA_HOST: '256.1.1.1', URLMETA_PORT: 'abc', URLMETA_DATA_DIR: 'elsewhere' }
    const service = await workspace.serve(env, ['serve', '--host', '127.0.0.2', '--port', '0', '--data-dir', 'here'])
    expect(service.url).toStartWith('http://127.0.0.2:')
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
    expect(await Bun.file(join(workspace.dir, 'here/urlmeta.db')).exists()).toBe(true)
    expect(await Bun.file(join(workspace.dir, 'elsewhere/urlmeta.db')).exists()).toBe(false)
  })
})
