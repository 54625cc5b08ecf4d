import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { EXECUTABLE, openWorkspace, type Workspace } from '../executable.ts'
import { createKey } from '../new-key.ts'
import { until } from '../site.ts'

const PAGES = 60

let requests = 0
const never = new Promise<Response>(() => {})
const origin = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    requests++
    if (new URL(request.url).pathname === '/never') return never
    return new Response('<title>A page</title>', { headers: { 'content-type': 'text/html' } })
  },
})
const ALLOWED = { URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${origin.port}` }
const page = (path: string) => `http://127.0.0.1:${origin.port}/${path}`

afterAll(() => origin.stop(true))

const writeList = (workspace: Workspace, paths: string[]) =>
  Bun.write(join(workspace.dir, 'urls.txt'), paths.map((path) => `${page(path)}\n`).join(''))
const numbered = Array.from({ length: PAGES }, (_, i) => String(i))

/** Sequences that change how a terminal behaves (`ESC [ ? … h` or `l`), such as its cursor and its line wrapping. */
const MODES = /\u001b\[\?\d+[hl]/
/** The progress bar is redrawn. */
const BAR = /[█░]/
/** Moves to the start of the line and erases it. */
const CLEARED = /\u001b\[1G\u001b\[2K$/

describe('fetch on a terminal', () => {
  test('without a bar, lines are complete when stdout and stderr are the same terminal', async () => {
    await using workspace = openWorkspace()
    await writeList(workspace, numbered)
    const terminal = workspace.terminal('urlmeta fetch --file urls.txt', ALLOWED)
    expect(await terminal.exited).toBe(0)
    const lines = terminal.output().trimEnd().split('\r\n')
    expect(lines.map((line) => (JSON.parse(line) as { url: string }).url)).toEqual(numbered.map(page))
  })

  test('the bar is only on stderr when stdout is a file, and is removed at the end', async () => {
    await using workspace = openWorkspace()
    await writeList(workspace, numbered)
    const terminal = workspace.terminal('urlmeta fetch --file urls.txt > out.ndjson', ALLOWED)
    expect(await terminal.exited).toBe(0)
    const output = terminal.output()
    expect(output).toMatch(BAR)
    expect(output).not.toMatch(MODES)
    expect(output).toMatch(CLEARED)
    const lines = (await Bun.file(join(workspace.dir, 'out.ndjson')).text()).trimEnd().split('\n')
    expect(lines).toHaveLength(PAGES)
  })

  test.each<[how: string, stop: (terminal: ReturnType<Workspace['terminal']>, pid: number) => void, code: number]>([
    ['Ctrl-C', (terminal) => terminal.type('\u0003'), 130],
    ['SIGTERM', (_, pid) => process.kill(pid, 'SIGTERM'), 143],
  ])('%s stops it, removes the bar and leaves the terminal unchanged', async (_, stop, code) => {
    await using workspace = openWorkspace()
    await writeList(workspace, [...numbered, 'never'])
    const before = requests
    // The shell must outlive the Ctrl-C that it receives as well.
    const terminal = workspace.terminal(
      `trap : INT; stty -a > before
      sh -c 'echo $$ > pid; exec "$EXECUTABLE" fetch --file urls.txt' > out; echo $? > code
      stty -a > after`,
      { ...ALLOWED, EXECUTABLE },
    )
    const read = (name: string) => Bun.file(join(workspace.dir, name)).text()
    await until(() => requests > before + PAGES && BAR.test(terminal.output()))
    stop(terminal, Number(await read('pid')))
    await terminal.exited
    expect(await read('code')).toBe(`${code}\n`)
    expect(await read('after')).toBe(await read('before'))
    expect(terminal.output()).not.toMatch(MODES)
    expect(terminal.output().replace('^C', '')).toMatch(CLEARED)
  })

  test('a closed output stops it and removes the bar', async () => {
    await using workspace = openWorkspace()
    await writeList(workspace, numbered)
    const terminal = workspace.terminal('urlmeta fetch --file urls.txt | head -n 1 > out', ALLOWED)
    expect(await terminal.exited).toBe(0)
    const output = terminal.output()
    expect(output).not.toMatch(MODES)
    expect(output).toMatch(CLEARED)
  })
})

describe('a table', () => {
  const LIST = 'urlmeta key list; urlmeta user list; urlmeta doctor --nonsense'
  const openWithKey = async () => {
    const workspace = openWorkspace()
    await createKey(workspace)
    return workspace
  }
  const RED_OR_BOLD = /\u001b\[(?:1|31)m/

  test('that is wider than the terminal is printed as blocks of lines, with nothing cut', async () => {
    await using workspace = await openWithKey()
    const terminal = workspace.terminal(LIST, { NO_COLOR: '1' })
    await terminal.exited
    const lines = terminal.output().split('\r\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(lines.slice(0, 8).map((line) => line.split(/ {2,}/)[0])).toEqual([
      'ID',
      'KEY',
      'NAME',
      'EMAIL',
      'CREATED',
      'LAST USED',
      'EXPIRES',
      'STATE',
    ])
    expect(lines[0]).toMatch(/^ID {9}[\da-f-]{36}$/)
    expect(lines[8]).toMatch(/^EMAIL +PLAN +OWN LIMITS +CREATED +STATE$/)
    expect(terminal.output()).not.toMatch(RED_OR_BOLD)
  })

  test('has a bold heading on a terminal, and neither color nor blocks in a file', async () => {
    await using workspace = await openWithKey()
    const terminal = workspace.terminal(`${LIST}; (${LIST}) > out 2>&1`)
    await terminal.exited
    expect(terminal.output()).toContain('\u001b[1mEMAIL')
    expect(terminal.output()).toContain('\u001b[31murlmeta: ')
    const file = await Bun.file(join(workspace.dir, 'out')).text()
    expect(file).toMatch(/^ID +KEY +NAME/)
    expect(file).not.toMatch(RED_OR_BOLD)
  })
})

describe('serve on a terminal', () => {
  test('prints two lines and the sign-in link, alone on its line; other outputs have it in one field', async () => {
    await using workspace = openWorkspace()
    const env = { URLMETA_PORT: '0', NO_COLOR: '1' }
    const terminal = workspace.terminal('mkdir -m 755 data; touch .env; chmod 644 .env; urlmeta serve', env)
    await until(() => /token=[^\n]*\n/.test(terminal.output()))
    terminal.type('\u0003')
    await terminal.exited
    const lines = terminal.output().split('\r\n')
    const [before, [link, ...rest]] = [lines.slice(0, 4), lines.slice(4)]
    expect(before.map((line) => line.replace(/^\[[\d:.]{12}\] /, ''))).toEqual([
      'WARN: other users can list the data directory: chmod 700 ./data',
      'WARN: other users can read .env: chmod o= .env {"file":".env"}',
      expect.stringMatching(/^INFO: urlmeta [\d.]+ listens on http:\/\/127\.0\.0\.1:\d+$/),
      'INFO: sign in with this link, once, within 15 minutes:',
    ])
    expect(Math.max(...before.map(({ length }) => length))).toBeLessThanOrEqual(80)
    expect(link).toMatch(/^http:\/\/localhost:\d+\/sign-in\/link\?token=[\w-]{43}$/)
    expect(rest.join()).not.toContain('token=')

    const service = await workspace.serve(env)
    await until(() => service.output().includes('token='))
    const [line = '', ...others] = service
      .output()
      .split('\n')
      .filter((text) => text.includes('token='))
    expect(others).toEqual([])
    const { link: field, msg } = JSON.parse(line) as Record<string, string>
    expect([field, msg]).toEqual([expect.stringContaining('?token='), expect.not.stringContaining('token=')])
  })
})
