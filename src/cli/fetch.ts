import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'

import type { Command } from '@commander-js/extra-typings'
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { Presets, SingleBar } from 'cli-progress'

import { chromiumOf, composePages, type MethodWish, type Pages } from '../compose.ts'
import type { Config } from '../config.ts'
import { AppError, messageOf } from '../core/errors.ts'
import { parseFetchTimeout } from '../core/fetch-timeout.ts'
import { FETCH_TIMEOUT_MS } from '../core/limits.ts'
import type { FetchTrace } from '../core/trace.ts'
import { parseTargetUrl } from '../core/url.ts'
import { configOf } from './environment.ts'
import { explain as explanationFor, explanation, type Outcome } from './explain.ts'
import { print } from './output.ts'
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
    .option('--headless', 'render every page in Chromium, also where a plain request would do')
    .option('--explain', 'print the way to the page and where each value came from')
    .option('--json', 'JSON is what it prints anyway; with --explain, the explanation too')
    .action(async (args, { file, timeout, headless, explain, json }, command) => {
      const config = configOf(env)
      const urls = [...args, ...(file === undefined ? [] : await listedUrls(file))]
      if (urls.length === 0) command.error('error: no URL given: name some, or a list with --file')

      if (headless && chromiumOf(config) === null) {
        throw new AppError(
          'not_found',
          'There is no Chromium to render with: install one, or set URLMETA_CHROMIUM to its path',
        )
      }

      await using pages = composePages(config)
      const wish = headless ? 'headless' : 'by rule'
      const read = (text: string) => readOne(text, { pages, config, timeoutMs: timeout, wish })
      const isSingle = urls.length === 1 && file === undefined
      const format = explain && !json ? explained : jsonOf({ indent: isSingle ? 2 : 0, explain: explain ?? false })
      // More would only queue for the browser and lose the time that they have.
      const atOnce = headless ? config.headlessConcurrency : AT_ONCE
      if (await printAll(urls, read, format, atOnce)) exit(EXIT.failed)
    })
}

/** One URL, what became of it, and the way there. */
interface Line {
  url: string
  trace: FetchTrace
  outcome: Outcome
}

async function readOne(
  url: string,
  { pages, config, timeoutMs, wish }: { pages: Pages; config: Config; timeoutMs: number; wish: MethodWish },
): Promise<Line> {
  const trace: FetchTrace = { hops: [] }
  const target = parseTargetUrl(url, config.allowPrivateHosts)
  if ('reason' in target) return { url, trace, outcome: { error: `Invalid URL: ${target.reason}` } }
  try {
    return { url, trace, outcome: { reading: await pages.read(target.url, timeoutMs, trace, wish) } }
  } catch (error) {
    if (error instanceof AppError) return { url, trace, outcome: { error: error.message } }
    throw error
  }
}

const explained = ({ url, trace, outcome }: Line) => `${explanationFor(url, trace, outcome)}\n`

const jsonOf =
  ({ indent, explain }: { indent: number; explain: boolean }) =>
  ({ url, trace, outcome }: Line) => {
    const values = 'error' in outcome ? { error: outcome.error } : outcome.reading.result
    return JSON.stringify({ url, ...values, ...(explain && { explain: explanation(trace, outcome) }) }, null, indent)
  }

/** Prints each in the order given, many being read at once; says whether any failed. */
async function printAll(
  urls: string[],
  read: (url: string) => Promise<Line>,
  format: (line: Line) => string,
  atOnce: number,
): Promise<boolean> {
  const bar = new SingleBar({ stream: process.stderr, noTTYOutput: false, clearOnComplete: true }, Presets.shades_grey)
  const isShown = process.stderr.isTTY && urls.length > 1
  if (isShown) bar.start(urls.length, 0)
  let anyFailed = false
  for await (const line of Readable.from(urls).map(read, { concurrency: atOnce }) as AsyncIterable<Line>) {
    anyFailed ||= 'error' in line.outcome
    print(format(line))
    if (isShown) bar.increment()
  }
  if (isShown) bar.stop()
  return anyFailed
}

/** @throws AppError when the file cannot be read */
async function listedUrls(file: string): Promise<string[]> {
  const source: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file)
  try {
    const chunks: Uint8Array[] = []
    let size = 0
    // Counted while it is read: pipes have no size of their own.
    for await (const chunk of source) {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_LIST_BYTES) throw new Error(`longer than ${MAX_LIST_BYTES} bytes`)
    }
    const lines = Buffer.concat(chunks)
      .toString()
      .split('\n')
      .map((line) => line.trim())
    return lines.filter((line) => line !== '')
  } catch (cause) {
    throw new AppError('not_found', `Cannot read ${file}: ${messageOf(cause)}`, { cause })
  }
}

function timeoutArgument(text: string): number {
  const timeoutMs = parseFetchTimeout(text)
  if (timeoutMs !== null) return timeoutMs
  const { minimum, maximum } = FETCH_TIMEOUT_MS
  throw new InvalidArgumentError(`Must be an integer from ${minimum} to ${maximum}.`)
}
