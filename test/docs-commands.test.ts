import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createMachine, type Machine, type ShellBlock, shellBlocks } from './docs-commands.ts'
import { EXECUTABLE, type Finished } from './executable.ts'
import { freePort } from './free-port.ts'
import { startPostgres } from './postgres.ts'
import { describePostgres } from './requirements.ts'
import { openSite } from './site.ts'
import { PATIENT_TEST_MS } from './patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const ROOT = join(import.meta.dir, '..')
const DOCUMENTS = ['*.md', 'docs/**/*.md'].flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })])
const BLOCKS: ShellBlock[] = (
  await Promise.all(DOCUMENTS.map(async (path) => shellBlocks(path, await Bun.file(join(ROOT, path)).text())))
).flat()

/** The blocks that are not run here, with the reason, or with the test that runs the same commands. */
const NOT_RUN: Record<string, string> = {
  'docs/check.md: urlmeta check https://www.example.com/a # one page, with notices': 'test/cli/check.test.ts',
  'docs/check.md: urlmeta check --allow-private --published-at https://www.example.com --sitemap http://localhost:4173/sitemap.xml':
    'test/check-in-builds.test.ts',
  'docs/cli.md: source <(urlmeta completion bash) # ~/.bashrc': 'test/cli/completion.test.ts',
  'docs/headless.md: apt-get install --no-install-recommends chromium-headless-shell': 'installs system packages',
  'docs/scale.md: sudo -u postgres createuser --pwprompt urlmeta': 'the same as in docs/postgresql.md',
  "docs/scale.md: sudo sh -c 'set -a; . /etc/urlmeta.env; setpriv --reuid=urlmeta --regid=urlmeta --clear-groups urlmeta doctor'":
    'needs the user of an installation; test/doctor.test.ts',
  'docs/scale.md: URLMETA_DOMAIN=urlmeta.example.com': 'test/deploy/proxy.test.ts',
  'docs/scale.md: urlmeta key create --email you@example.com': 'test/deploy/proxy.test.ts',
  'docs/deploy/README.md: url=https://github.com/urlmeta/urlmeta/releases/download/v1.2.3':
    'test/deploy/install.test.ts',
  'docs/deploy/README.md: sha256sum --check --ignore-missing SHA256SUMS # files downloaded manually':
    'test/release.test.ts',
  'docs/deploy/README.md: git clone --branch v1.2.3 https://github.com/urlmeta/urlmeta && cd urlmeta':
    'test/release.test.ts',
  'docs/deploy/README.md: sudo useradd --system --home-dir /var/lib/urlmeta --no-create-home --shell /usr/sbin/nologin urlmeta':
    'needs systemd; test/deploy/unit.test.ts',
  'docs/deploy/README.md: sudo systemctl disable --now urlmeta': 'removes what the installation created',
  'docs/deploy/README.md: systemd-analyze security --offline=true docs/deploy/urlmeta.service':
    'test/deploy/unit.test.ts',
  'docs/deploy/README.md: docker build -f docs/deploy/Dockerfile -t urlmeta .': 'test/deploy/container.test.ts',
  'docs/deploy/README.md: set -a; . ./base-images.env; set +a': 'test/deploy/container.test.ts',
}

const site = openSite()
afterAll(() => site.close())
const GITHUB = 'https://github.com'

const run = new Set<string>()

/** A machine for the commands of a test, in an empty directory. */
function openMachine(programs: readonly string[] = []): Machine {
  const dir = mkdtempSync(join(tmpdir(), 'urlmeta-docs-'))
  const machine = createMachine(dir, programs)
  Object.assign(machine.env, site.env)
  machine.configure({ ...site.env, URLMETA_PORT: '0', URLMETA_DATA_DIR: join(dir, 'data') })
  return {
    ...machine,
    async [Symbol.asyncDispose]() {
      await machine[Symbol.asyncDispose]()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** The lines of a block, with example values replaced by those of the test. Each must occur. */
function linesOf(name: string, replaced: Readonly<Record<string, string>> = {}): string[] {
  const block = BLOCKS.find((one) => one.name === name)
  if (block === undefined) throw new Error(`no document has the block ${name}`)
  run.add(name)
  let text = block.lines.join('\n')
  for (const [example, value] of Object.entries(replaced)) {
    if (!text.includes(example)) throw new Error(`${name} does not contain ${example}`)
    text = text.replaceAll(example, value)
  }
  return text.split('\n')
}

async function succeed(machine: Machine, name: string, replaced: Readonly<Record<string, string>> = {}) {
  const finished = await machine.run(linesOf(name, replaced))
  expect(finished).toMatchObject({ code: 0 } satisfies Partial<Finished>)
  return finished
}

test('README.md: the service is started, and responds to a request with a key', async () => {
  await using machine = openMachine()
  // The checkout of this repository, already set up and built.
  copyFileSync(join(ROOT, 'package.json'), join(machine.dir, 'package.json'))
  mkdirSync(join(machine.dir, 'dist'))
  symlinkSync(EXECUTABLE, join(machine.dir, 'dist/urlmeta'))
  Object.assign(machine.env, { npm_config_ignore_scripts: 'true', URLMETA_PORT: String(freePort()) })

  const address = await machine.serve(linesOf('README.md: npm start'))
  const { stdout } = await succeed(
    machine,
    'README.md: dist/urlmeta key create --email you@example.com --plan business',
  )
  const [key] = /urlmeta_live_\w+/.exec(stdout)!
  const request =
    "README.md: curl -H 'X-API-Key: urlmeta_live_…' 'http://localhost:3000/v1/metadata?url=https%3A%2F%2Fgithub.com'"
  const response = await succeed(machine, request, {
    'urlmeta_live_…': key,
    'http://localhost:3000': address,
    'https%3A%2F%2Fgithub.com': encodeURIComponent(site.urlOf('/')),
  })
  expect(JSON.parse(response.stdout)).toMatchObject({ title: 'A saved page' })
})

test('docs/backup.md: a backup of the running service is restored', async () => {
  await using machine = openMachine()
  const backups = join(machine.dir, 'backups/')
  await machine.run(['systemctl start urlmeta', 'urlmeta key create --email you@example.com --name kept'])
  await succeed(machine, 'docs/backup.md: urlmeta backup /backups/urlmeta.db', { '/backups/': backups })
  await machine.run(['urlmeta key create --email you@example.com --name lost'])
  await succeed(machine, 'docs/backup.md: sudo systemctl stop urlmeta', {
    '/backups/': backups,
    '/var/lib/urlmeta': join(machine.dir, 'data'),
  })
  const { stdout } = await machine.run(['urlmeta key list'])
  expect([stdout.includes('kept'), stdout.includes('lost')]).toEqual([true, false])
  // The service runs again.
  expect(await machine.run(['kill -0 "$(cat service.pid)"'])).toMatchObject({ code: 0 })
})

test('docs/backup.md: an export of the running service is imported', async () => {
  await using machine = openMachine()
  const copy = join(machine.dir, 'copy')
  await machine.run(['systemctl start urlmeta', 'urlmeta key create --email you@example.com --name kept'])
  await succeed(machine, 'docs/backup.md: urlmeta export /backups/urlmeta.jsonl', {
    '/backups/': join(machine.dir, 'backups/'),
    '/var/lib/urlmeta-new': copy,
  })
  const { stdout } = await machine.run([`URLMETA_DATA_DIR=${copy} urlmeta key list`])
  expect(stdout).toContain('kept')
})

test('docs/cli.md: pages are fetched without a server', async () => {
  await using machine = openMachine()
  writeFileSync(join(machine.dir, 'urls.txt'), `${site.urlOf('/a')}\n${site.urlOf('/b')}\n`)
  const { stdout } = await succeed(machine, 'docs/cli.md: urlmeta fetch https://github.com # indented JSON', {
    [GITHUB]: site.urlOf('/'),
  })
  expect(stdout).toContain('"title": "A saved page"')
  const lines = (await Bun.file(join(machine.dir, 'out.ndjson')).text()).trim().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { url: string }).url)).toEqual(['/a', '/b'].map(site.urlOf))
})

test('docs/cli.md: the cached result of a page is shown and deleted', async () => {
  await using machine = openMachine()
  await machine.run(['systemctl start urlmeta'])
  const { stdout } = await machine.run(['grep -o "http://[0-9.:]*" service.log | head -1'])
  const { stdout: created } = await machine.run(['urlmeta key create --email you@example.com --json'])
  const { key } = JSON.parse(created) as { key: string }
  await site.request({ url: stdout.trim() }, key, '/a')
  const shown = await succeed(
    machine,
    'docs/cli.md: urlmeta cache show https://example.com/a # language, time, expiry, final URL, size and metadata of each result',
    { 'https://example.com/a': site.urlOf('/a') },
  )
  expect(shown.stdout).toContain('A saved page')
  expect(await machine.run([`urlmeta cache show ${site.urlOf('/a')}`])).toMatchObject({ code: 1 })
})

test('docs/dashboard.md and docs/data-retention.md: commands beside a running service', async () => {
  await using machine = openMachine()
  await machine.run(['systemctl start urlmeta'])
  await machine.run(['urlmeta key create --email jo@example.com'])
  const limits = 'docs/dashboard.md: urlmeta user set-limits jo@example.com --per-minute 5000 --per-month 2000000'
  expect((await succeed(machine, limits)).stdout).toMatch(/^Requests.month +2000000 +own$/m)
  const { stdout } = await succeed(machine, 'docs/dashboard.md: urlmeta user sign-in-link you@example.com')
  expect(stdout).toContain('/sign-in/link?token=')
  const checked = await machine.run(linesOf('docs/data-retention.md: urlmeta doctor --confirm-clock'))
  expect(checked.stdout).toMatch(/^ok +expired rows/m)
})

test('docs/upgrade.md: an upgrade is rolled back', async () => {
  await using machine = openMachine()
  const places = { '/var/lib/urlmeta': join(machine.dir, 'data') }
  // install.sh keeps the previous executable; test/deploy/install.test.ts runs it.
  const installs = 'cp bin/urlmeta bin/urlmeta.previous'
  await machine.run(['systemctl start urlmeta', 'urlmeta key create --email you@example.com'])
  const upgrade = linesOf("docs/upgrade.md: as_urlmeta='sudo -u urlmeta env URLMETA_DATA_DIR=/var/lib/urlmeta'", {
    ...places,
    'sudo sh install.sh "$url"': installs,
  })
  const rollBack = linesOf('docs/upgrade.md: sudo systemctl stop urlmeta', {
    ...places,
    '/usr/local/bin': join(machine.dir, 'bin'),
  })
  // One shell, because the second block uses a variable of the first.
  expect(await machine.run([...upgrade, ...rollBack])).toMatchObject({ code: 0 })
  expect(existsSync(join(machine.dir, 'bin/urlmeta.previous'))).toBe(false)
  const { stdout } = await machine.run(['urlmeta key list'])
  expect(stdout).toContain('you@example.com')
})

test('docs/deploy/README.md: commands as the user of the service', async () => {
  await using machine = openMachine()
  await machine.run(['systemctl start urlmeta'])
  const list = 'docs/deploy/README.md: sudo -u urlmeta env URLMETA_DATA_DIR=/var/lib/urlmeta urlmeta key list'
  await succeed(machine, list, { '/var/lib/urlmeta': join(machine.dir, 'data') })
})

describePostgres('with PostgreSQL', (binDir) => {
  /** A server in which the commands of the documents may create users and databases. */
  async function openServer() {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startPostgres(binDir))
    const { port } = new URL(await server.createDatabase())
    const machine = stack.use(openMachine([binDir]))
    Object.assign(machine.env, { PGHOST: '127.0.0.1', PGPORT: port, PGUSER: 'urlmeta' })
    const owned = stack.move()
    return { machine, port, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  }

  test('docs/postgresql.md: the service is started', async () => {
    await using server = await openServer()
    const { machine, port } = server
    const address = await machine.serve(
      linesOf('docs/postgresql.md: createuser --pwprompt urlmeta', {
        // The user of the test's server exists, and it asks for no password.
        'createuser --pwprompt urlmeta': 'export URLMETA_PORT=0',
        'urlmeta:…@db.example': `urlmeta:secret@127.0.0.1:${port}`,
      }),
    )
    expect((await fetch(`${address}/readyz`)).status).toBe(200)
  })

  test('docs/move-to-postgresql.md and docs/backup.md: moved, backed up, restored and moved back', async () => {
    await using server = await openServer()
    const { machine, port } = server
    const backups = { '/backups/': join(machine.dir, 'backups/') }
    await machine.run(['systemctl start urlmeta', 'urlmeta key create --email you@example.com --name moved'])
    await succeed(machine, 'docs/move-to-postgresql.md: createdb --owner urlmeta urlmeta', {
      ...backups,
      'urlmeta:…@db.example': `urlmeta:secret@127.0.0.1:${port}`,
    })
    const URLMETA_DATABASE_URL = `postgres://urlmeta:secret@127.0.0.1:${port}/urlmeta`
    const URLMETA_SECRET = 'the-same-on-every-process-of-the-test'
    Object.assign(machine.env, { URLMETA_DATABASE_URL, URLMETA_SECRET })
    machine.configure({ ...site.env, URLMETA_PORT: '0', URLMETA_DATABASE_URL, URLMETA_SECRET })
    await succeed(
      machine,
      'docs/backup.md: pg_dump --format=custom --file=/backups/urlmeta.dump "$URLMETA_DATABASE_URL"',
      backups,
    )
    await machine.run(['systemctl start urlmeta', 'urlmeta key create --email you@example.com --name lost'])
    // As the migration of a newer version.
    await machine.run(['psql --command="CREATE TABLE added (user_id text REFERENCES users (id))" urlmeta'])
    await succeed(machine, 'docs/backup.md: systemctl stop urlmeta # on every machine', backups)
    const { stdout } = await machine.run(['urlmeta key list'])
    expect([stdout.includes('moved'), stdout.includes('lost')]).toEqual([true, false])

    const back = join(machine.dir, 'back')
    delete machine.env['URLMETA_DATABASE_URL']
    const toSqlite =
      'docs/move-to-postgresql.md: URLMETA_DATABASE_URL=postgres://urlmeta:…@db.example/urlmeta urlmeta export /backups/urlmeta.jsonl'
    await succeed(machine, toSqlite, {
      ...backups,
      'urlmeta:…@db.example': `urlmeta:secret@127.0.0.1:${port}`,
      '/var/lib/urlmeta-new': back,
    })
    expect((await machine.run([`URLMETA_DATA_DIR=${back} urlmeta key list`])).stdout).toContain('moved')
  })
})

test('every block of commands in the documents is run here, or has a reason why not', () => {
  const names = BLOCKS.map(({ name }) => name)
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !run.has(name) && NOT_RUN[name] === undefined)).toEqual([])
  expect(Object.keys(NOT_RUN).filter((name) => !names.includes(name) || run.has(name))).toEqual([])
})
