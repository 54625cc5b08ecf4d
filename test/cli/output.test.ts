import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { openWorkspace } from '../executable.ts'
import { createKey } from '../new-key.ts'
import { typicalCases } from '../thorough.ts'

const origin = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => new Response('<title>A page</title>', { headers: { 'content-type': 'text/html' } }),
})
const URL_OF_PAGE = `http://127.0.0.1:${origin.port}/`
const ALLOWED = { URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${origin.port}`, URLMETA_PORT: '0' }

afterAll(() => origin.stop(true))

describe('an output that cannot be written ends with one line and exit code 1', () => {
  const commands = [
    ['version'],
    ['version --json'],
    ['--help'],
    ['help key create'],
    ['config'],
    ['openapi'],
    ['completion bash'],
    ['key create --email me@example.com'],
    ['key list'],
    ['user list --json'],
    ['user set-plan you@example.com growth'],
    ['user sign-in-link you@example.com'],
    [`fetch ${URL_OF_PAGE}`],
    [`fetch --explain ${URL_OF_PAGE}`],
    ['serve'],
  ] as const
  // By default one of each command, without its options.
  const isTypical = ([command]: (typeof commands)[number]) =>
    !command.startsWith('user ') && !/--(?:json|explain)/.test(command)
  test.each(typicalCases(commands, isTypical))('%s', async (command) => {
    await using place = openWorkspace()
    await createKey(place)
    const { code, stderr } = await place.shell(`urlmeta ${command} > /dev/full`, ALLOWED)
    expect(stderr).toBe('urlmeta: Cannot write to standard output: ENOSPC: no space left on device, write\n')
    expect(code).toBe(1)
  })
})

test('errors keep their exit code when stderr cannot be written', async () => {
  await using place = openWorkspace()
  expect(await place.shell('urlmeta nonsense 2> /dev/full')).toMatchObject({ code: 2, stdout: '' })
})

test('a running server keeps running when its log is closed', async () => {
  await using place = openWorkspace()
  const read = async (name: string) => {
    const file = Bun.file(join(place.dir, name))
    return (await file.exists()) ? await file.text() : ''
  }
  // On a terminal, so that all processes of the command line exit with it.
  const terminal = place.terminal('urlmeta serve 2> errors | head -n 1 > first-line; read -r _', ALLOWED)
  let url: string | undefined
  while (!url) url = /listens on (http:[^"]+)/.exec(await read('first-line'))?.[1]
  const currentStatus = async () => (await fetch(`${url}/v1/metadata`)).status
  while (!(await read('errors')).includes('\n')) expect(await currentStatus()).toBe(401)
  for (let i = 0; i < 3; i++) expect(await currentStatus()).toBe(401)
  expect(await read('errors')).toBe(
    'urlmeta: writing the log failed; lines are dropped until it succeeds: EPIPE: broken pipe, write\n',
  )
  terminal.type('\u0003')
  await terminal.exited
})

describe('fetch --file', () => {
  test.each<[name: string, content: string | Uint8Array, urls: string[]]>([
    ['a byte-order mark', `\ufeff${URL_OF_PAGE}a\n`, ['a']],
    ['line ends of every system', `${URL_OF_PAGE}a\r\n${URL_OF_PAGE}b\r${URL_OF_PAGE}c\n\n`, ['a', 'b', 'c']],
    ['no end of the last line', `${URL_OF_PAGE}a`, ['a']],
  ])('%s', async (_, content, paths) => {
    await using place = openWorkspace()
    await Bun.write(join(place.dir, 'urls.txt'), content)
    const { code, stdout } = await place.run(['fetch', '--file', 'urls.txt'], ALLOWED)
    const urls = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { url: string }).url)
    expect([code, urls]).toEqual([0, paths.map((path) => URL_OF_PAGE + path)])
  })

  test.each<[name: string, content: Uint8Array, stderr: string, code: number]>([
    ['Latin-1', Buffer.from('http://a.test/\u00e9\n', 'latin1'), 'urlmeta: Cannot read urls.txt: not UTF-8\n', 1],
    ['UTF-16', Buffer.from('\ufeffhttp://a.test/\n', 'utf16le'), 'urlmeta: Cannot read urls.txt: not UTF-8\n', 1],
    [
      'an empty file',
      Buffer.from('\n \n'),
      'urlmeta: no URLs: pass them as arguments, or a file of them with --file\n',
      2,
    ],
  ])('%s is an error', async (_, content, stderr, code) => {
    await using place = openWorkspace()
    await Bun.write(join(place.dir, 'urls.txt'), content)
    expect(await place.run(['fetch', '--file', 'urls.txt'])).toEqual({ code, stdout: '', stderr })
  })

  test.each([
    ['a directory', 'fetch --file .', 1],
    ['an empty name', "fetch --file ''", 2],
    ['a name with an escape sequence', 'fetch --file "$(printf \'\\033[2J\')"', 1],
    ['a closed standard input', 'fetch --file - <&-', 2],
  ])('%s is an error', async (_, command, code) => {
    await using place = openWorkspace()
    const { stderr, ...finished } = await place.shell(`urlmeta ${command}`)
    expect(finished).toEqual({ code, stdout: '' })
    expect(stderr).toMatch(/^urlmeta: \P{Cc}*\n$/u)
  })

  test('a slow reader gets the complete output', async () => {
    await using place = openWorkspace()
    const lines = 20_000
    await Bun.write(join(place.dir, 'urls.txt'), 'nonsense\n'.repeat(lines))
    const { stdout, stderr } = await place.shell('urlmeta fetch --file urls.txt | (sleep 1; wc -l)')
    expect([stdout.trim(), stderr]).toEqual([String(lines), ''])
  })

  test('a NUL inside a line is part of the URL, and does not end it', async () => {
    await using place = openWorkspace()
    await Bun.write(join(place.dir, 'urls.txt'), `${URL_OF_PAGE}a\0b\n`)
    const { code, stdout } = await place.run(['fetch', '--file', 'urls.txt'], ALLOWED)
    expect([code, (JSON.parse(stdout) as { url: string }).url]).toEqual([0, `${URL_OF_PAGE}a\0b`])
  })
})
