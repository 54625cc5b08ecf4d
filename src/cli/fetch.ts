import { Readable } from 'node:stream'

import type { Command } from '@commander-js/extra-typings'
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { Presets, SingleBar } from 'cli-progress'

import { composePages, type Pages, type Reading } from '../compose.ts'
import type { Config } from '../config.ts'
import { AppError } from '../core/errors.ts'
import { FETCH_TIMEOUT_MS } from '../core/limits.ts'
import { parseTargetUrl } from '../core/url.ts'
import { configOf } from './environment.ts'
import { print, printJson } from './output.ts'
import { EXIT, type CommandContext } from './command.ts'

/** Pages read at once: enough to hide slow sites, few enough not to be a burden on one that many of the URLs name. */
const AT_ONCE = 32

/** A list longer than this is surely the wrong file; in bytes. */
const MAX_LIST_BYTES = 64 * 1024 * 1024

export function addFetchCommand(program: Command, { env, exit }: CommandContext) {
  program
    .command('fetch')
    .description('print the metadata of pages, without server, key or database')
    .argument('[urls...]', 'one URL gives pretty JSON, several give one line of JSON each')
    .option('--file <file>', 'read URLs from a file, one a line; - for standard input')
    .option('--timeout <ms>', 'how long each page may take', timeoutArgument, FETCH_TIMEOUT_MS.default)
    .option('--json', 'JSON is what it always prints')
    .action(async (args, { file, timeout }, command) => {
      const config = configOf(env)
      const urls = [...args, ...(file === undefined ? [] : await listedUrls(file))]
      if (urls.length === 0) command.error('error: no URL given: name some, or a list with --file')

      await using pages = composePages(config)
      const read = (text: string) => readOne(text, { pages, config, timeoutMs: timeout })
      const failed =
        urls.length === 1 && file === undefined ? await printOne(urls[0]!, read) : await printMany(urls, read)
      if (failed) exit(EXIT.failed)
    })
}

type Line = { url: string } & ({ error: string } | Reading['result'])

async function readOne(
  text: string,
  { pages, config, timeoutMs }: { pages: Pages; config: Config; timeoutMs: number },
): Promise<Line> {
  const target = parseTargetUrl(text, config.allowPrivateHosts)
  if ('reason' in target) return { url: text, error: `Invalid URL: ${target.reason}` }
  try {
    const { result } = await pages.read(target.url, timeoutMs)
    return { url: text, ...result }
  } catch (error) {
    if (error instanceof AppError) return { url: text, error: error.message }
    throw error
  }
}

/** Says whether it failed. */
async function printOne(url: string, read: (url: string) => Promise<Line>): Promise<boolean> {
  const line = await read(url)
  print(JSON.stringify(line, null, 2))
  return 'error' in line
}

/** One line each, in the order given; says whether any failed. */
async function printMany(urls: string[], read: (url: string) => Promise<Line>): Promise<boolean> {
  const bar = new SingleBar({ stream: process.stderr, noTTYOutput: false, clearOnComplete: true }, Presets.shades_grey)
  const shown = process.stderr.isTTY
  if (shown) bar.start(urls.length, 0)
  let anyFailed = false
  for await (const line of Readable.from(urls).map(read, { concurrency: AT_ONCE }) as AsyncIterable<Line>) {
    anyFailed ||= 'error' in line
    printJson(line)
    if (shown) bar.increment()
  }
  if (shown) bar.stop()
  return anyFailed
}

/** @throws AppError when the file cannot be read */
async function listedUrls(file: string): Promise<string[]> {
  const source = file === '-' ? Bun.stdin : Bun.file(file)
  try {
    if (source.size > MAX_LIST_BYTES && file !== '-') throw new Error(`longer than ${MAX_LIST_BYTES} bytes`)
    const lines = (await source.text()).split('\n').map((line) => line.trim())
    return lines.filter((line) => line !== '')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AppError('not_found', `Cannot read ${file}: ${reason}`, { cause })
  }
}

function timeoutArgument(text: string): number {
  const { minimum, maximum } = FETCH_TIMEOUT_MS
  const timeoutMs = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (timeoutMs >= minimum && timeoutMs <= maximum) return timeoutMs
  throw new InvalidArgumentError(`Must be an integer from ${minimum} to ${maximum}.`)
}
