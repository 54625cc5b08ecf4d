import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { newApiKey } from '../src/core/accounts/api-key.ts'
import type { LogLevel } from '../src/config.ts'
import { createLog, type Log } from '../src/log.ts'

// Created with the function that defines the format, so that a new format is tested here too.
const KEY = newApiKey(() => Uint8Array.fromHex('0123456789abcdef0123456789abcdef'))
const LEVELS = ['debug', 'info', 'warn', 'error'] as const

/** The lines that `write` logs. */
function linesOf(level: LogLevel, write: (log: Log) => void): string[] {
  const lines: string[] = []
  write(createLog({ level, destination: { write: (line) => void lines.push(line) } }))
  return lines
}

const lineOf = (write: (log: Log) => void) => JSON.parse(linesOf('debug', write)[0] ?? 'null')

describe('a line', () => {
  test('is one JSON object with level, ISO time, fields and message, without host or process', () => {
    const [line = '', ...others] = linesOf('info', (log) => log.info({ route: '/v1/metadata', ms: 12 }, 'request'))
    const { time, ...rest } = JSON.parse(line)
    expect(rest).toEqual({ level: 'info', route: '/v1/metadata', ms: 12, msg: 'request' })
    expect(new Date(time).toISOString()).toBe(time)
    expect(line.endsWith('}\n')).toBe(true)
    expect(others).toEqual([])
  })

  test('has an error with its stack and causes', () => {
    const err = new TypeError('outer', { cause: new RangeError('inner') })
    const { err: logged } = lineOf((log) => log.error({ err }, 'failed'))
    expect(logged).toMatchObject({ type: 'TypeError', message: 'outer: inner' })
    expect(logged.stack).toContain('caused by: RangeError: inner')
  })

  test('of a request has the same format as others', () => {
    const fields = { id: 'r1', status: 200, host: `"\n${KEY}`, cache: undefined }
    const request = lineOf((log) => log.request(fields))
    const info = lineOf((log) => log.info(fields, 'request'))
    expect(Object.keys(request)).toEqual(Object.keys(info))
    expect({ ...request, time: '' }).toEqual({ ...info, time: '' })
    expect(new Date(request.time).toISOString()).toBe(request.time)
    expect(linesOf('info', (log) => log.request(fields))[0]).toEndWith('}\n')
  })

  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  test.each([
    ['a circle', circular],
    ['a big integer', 10n],
    ['a getter that throws', Object.defineProperty({}, 'x', { enumerable: true, get: () => JSON.parse('{') })],
    ['a line break', 'a\n{"level":"error"}'],
    ['nothing', undefined],
  ])('survives %s', (_, value) => {
    expect(lineOf((log) => log.info({ value }, 'odd'))).toMatchObject({ level: 'info', msg: 'odd' })
  })
})

describe('the level', () => {
  test.each([
    ['info', 1],
    ['warn', 0],
  ] as const)('%s logs %d line of a request', (level, count) => {
    expect(linesOf(level, (log) => log.request({ id: 'r1' }))).toHaveLength(count)
  })

  const writeAll = (log: Log) => LEVELS.forEach((level) => log[level]({}, level))
  test.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ] as const)('%s logs %j', (level, expected) => {
    expect(linesOf(level, writeAll).map((line) => JSON.parse(line).msg)).toEqual([...expected])
  })
})

describe('API keys are redacted', () => {
  const error = new Error(`cannot use ${KEY}`, { cause: new Error(`because of ${KEY}`) })
  Object.assign(error, { request: { headers: { 'x-api-key': KEY } } })
  test.each<[string, (log: Log) => void]>([
    ['as the message', (log) => log.info({}, KEY)],
    ['inside the message', (log) => log.info({}, `got (${KEY}), twice: ${KEY}`)],
    ['as a field', (log) => log.info({ key: KEY }, '')],
    ['as the name of a field', (log) => log.info({ [KEY]: 1 }, '')],
    ['deep in a field', (log) => log.info({ a: [{ b: new Map(), c: [[KEY]] }] }, '')],
    ['in a URL', (log) => log.info({ url: `https://m.example/v1/metadata?api_key=${KEY}&url=x` }, '')],
    ['as a URL object', (log) => log.info({ url: new URL(`https://m.example/?api_key=${KEY}`) }, '')],
    ['percent-encoded', (log) => log.info({ url: `?api_key=${KEY.replaceAll('_', '%5F')}` }, '')],
    ['in capitals', (log) => log.info({ key: KEY.toUpperCase() }, '')],
    ['right after other letters', (log) => log.info({ key: `x${KEY}0` }, '')],
    ['in JSON inside a string', (log) => log.info({ body: JSON.stringify({ key: KEY }) }, '')],
    ['in an error, its cause and its properties', (log) => log.error({ err: error }, 'failed')],
    ['in a request', (log) => log.request({ host: KEY, [KEY]: 1 })],
    ['in an error under another name', (log) => log.error({ reason: error }, 'failed')],
    ['by toJSON', (log) => log.info({ value: { toJSON: () => ({ KEY }) } }, '')],
  ])('%s', (_, write) => {
    const [line = ''] = linesOf('debug', write)
    expect(line).not.toMatch(/[0-9a-f]{32}/i)
    expect(JSON.parse(line)).toBeObject()
  })

  test('a redacted key is recognizable as one', () => {
    expect(lineOf((log) => log.info({ key: KEY }, '')).key).toBe('urlmeta_live_••••')
  })

  test.each([
    ['a hash', '0123456789abcdef'.repeat(4)],
    ['a masked key', 'urlmeta_live_…cdef'],
    ['one digit too few', KEY.slice(0, -1)],
  ])('%s is unchanged', (_, value) => expect(lineOf((log) => log.info({ value }, '')).value).toBe(value))
})

describe('the executable', () => {
  let folder: string
  let program: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'urlmeta-log-'))
    program = join(folder, 'program')
    const source = join(folder, 'program.ts')
    await Bun.write(
      source,
      `import { createLog } from '${join(import.meta.dir, '../src/log.ts')}'
       const log = createLog({ level: 'info' })
       log.info({ key: '${KEY}' }, 'hello')
       log.error({ err: new Error('boom') }, 'last words')
       if (process.argv[2] === 'crash') throw new Error('uncaught')
       process.exit(3)`,
    )
    await Bun.build({ entrypoints: [source], compile: { outfile: program } })
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('writes all JSON lines to a pipe', async () => {
    const child = Bun.spawn([program], { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr] = [await child.stdout.text(), await child.stderr.text()]
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).msg),
    ).toEqual(['hello', 'last words'])
    expect(stderr).toBe('')
    expect(await child.exited).toBe(3)
  })

  test('writes buffered lines when an uncaught error terminates it', async () => {
    const child = Bun.spawn([program, 'crash'], { cwd: folder, stdout: 'pipe', stderr: 'ignore' })
    const lines = (await child.stdout.text()).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['hello', 'last words'])
    expect(await child.exited).not.toBe(0)
  })

  test('writes plain text to a terminal', async () => {
    let screen = ''
    const decoder = new TextDecoder()
    const child = Bun.spawn([program], {
      cwd: folder,
      env: { ...process.env, TERM: 'xterm-256color' },
      terminal: { cols: 200, rows: 50, data: (_, bytes) => void (screen += decoder.decode(bytes, { stream: true })) },
    })
    expect(await child.exited).toBe(3)
    expect(Bun.stripANSI(screen)).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: hello \{"key":"urlmeta_live_••••"\}\r\n/)
    expect(screen).toContain('last words')
    expect(screen).not.toContain(KEY)
  })

  test('keeps running when the log is no longer read', async () => {
    const child = Bun.spawn(['sh', '-c', `{ "${program}"; echo "exit $?" >&2; } | true`], { stderr: 'pipe' })
    expect(await child.stderr.text()).toBe('exit 3\n')
  })
})
