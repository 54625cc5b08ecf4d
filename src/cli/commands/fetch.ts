import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { getSystemErrorMessage } from 'node:util'

import type { Command } from '@commander-js/extra-typings'

import type { PageReader } from '../../compose/page-reader.ts'
import type { Config } from '../../config.ts'
import { type ExtraName, extraOf, PAGE_EXTRA_NAMES } from '../../core/extract/fields/extra.ts'
import { egressTarget } from '../../core/net/egress.ts'
import { AppError, messageOf } from '../../core/errors.ts'
import { FETCH_TIMEOUT_MS } from '../../core/limits.ts'
import type { FetchTrace } from '../../core/fetch/trace.ts'
import { parseTargetUrl } from '../../core/net/url.ts'
import type { ReadResult } from '../../service/lookup/reader.ts'
import { fieldsArgument, fileArgument, languageArgument, timeoutArgument } from '../arguments.ts'
import { explain as explanationFor, explanation, type ExplainedResult } from '../explain.ts'
import { printable, printAndWait } from '../output.ts'
import { startProgress } from '../progress.ts'
import { EXIT, type CommandContext } from '../command.ts'

/**
 * The number of concurrent fetches: enough to hide slow sites, too few to overload a site that has many of the URLs.
 */
const CONCURRENCY = 32

/** A larger file is most likely not a list of URLs. */
const MAX_LIST_BYTES = 64 * 1024 * 1024

export function addFetchCommand(program: Command, { readConfig, exit }: CommandContext) {
  program
    .command('fetch')
    .description('print the metadata of URLs, without a server, an API key or a database')
    .argument('[urls...]', 'one URL prints indented JSON, several print one line of JSON each')
    .option(
      '--file <file>',
      'read URLs from a file, one per line, without lines that start with #; - for standard input',
      fileArgument,
    )
    .option('--timeout <ms>', 'time limit for each URL, in milliseconds', timeoutArgument, FETCH_TIMEOUT_MS.default)
    .option('--language <languages>', 'languages to ask the sites for, such as de-CH,de;q=0.9', languageArgument)
    .option('--fields <names>', `add the object extra with ${PAGE_EXTRA_NAMES.join(', ')}`, fieldsArgument)
    .option('--headless', 'render every page in Chromium, even if a plain request is enough')
    .option('--explain', 'print addresses, redirects, timing and the source of each value')
    .option('--json', 'with --explain, print the explanation as JSON')
    .action(async (args, { file, timeout, language, fields, headless, explain, json }, command) => {
      const config = readConfig()
      const listed = file === undefined ? [] : await listedUrls(file)
      const urls = [...args, ...listed].map(withScheme)
      for (const [index, text] of args.entries()) {
        if (urls[index] !== text)
          process.stderr.write(`urlmeta: ${printable(text)} is read as ${printable(urls[index]!)}\n`)
      }
      if (urls.length === 0) command.error('error: no URLs: pass them as arguments, or a file of them with --file')

      const { chromiumOf, mayStart } = await import('../../compose/chromium.ts')
      if (headless && !mayStart(chromiumOf(config))) {
        throw new AppError('not_found', 'No Chromium found: install one, or correct URLMETA_CHROMIUM')
      }

      const { openPageReader } = await import('../../compose/page-reader.ts')
      await using reader = openPageReader(config)
      const preference = headless ? 'headless' : 'automatic'
      const options = { timeoutMs: timeout, language }
      const read = (text: string) =>
        fetchOne(text, config, (url, trace) => reader.read(url, options, trace, preference))
      const isSingle = urls.length === 1 && file === undefined
      const format =
        explain && !json ? explained : jsonOf({ indent: isSingle ? 2 : 0, explain: explain ?? false, fields })
      // With more concurrent pages, requests would time out while they wait for the browser.
      const concurrency = headless ? config.headlessConcurrency : CONCURRENCY
      const { anyFailed, privateUrl } = await printAll(urls, read, format, concurrency)
      if (privateUrl !== undefined) process.stderr.write(privateRemedy(new URL(privateUrl)))
      if (anyFailed) exit(EXIT.failure)
    })
}

/** A host name or IPv4 address, perhaps with a port and a path, as people type it. `1.2` is neither. */
const WITHOUT_SCHEME = /^(?:(?:\d+\.){3}\d+|[^\s:/?#@]+\.[^\s:/?#@.\d][^\s:/?#@.]*)(?::\d+)?(?:[/?#]|$)/

/** `https://github.com` for `github.com`. Everything else stays as it is. */
function withScheme(text: string): string {
  return WITHOUT_SCHEME.test(text) ? `https://${text}` : text
}

interface FetchedUrl {
  url: string
  trace: FetchTrace
  outcome: ExplainedResult
  /** The URL that was refused because its destination is private. */
  privateUrl?: string | undefined
}

type ReadUrl = (url: URL, trace: FetchTrace) => ReturnType<PageReader['read']>

/** A failure is returned as an outcome. */
export async function fetchOne(url: string, config: Config, read: ReadUrl): Promise<FetchedUrl> {
  const trace: FetchTrace = { hops: [] }
  const target = parseTargetUrl(url, config.live.allow)
  if ('reason' in target) {
    const { reason, isPrivate } = target
    return { url, trace, outcome: { error: `Invalid URL: ${reason}` }, privateUrl: isPrivate && url }
  }
  try {
    return { url, trace, outcome: { read: await read(target.url, trace) } }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const last = trace.hops.at(-1)
    const isPrivate = last?.refusal !== undefined && !['bad_port', 'no_address'].includes(last.refusal)
    return { url, trace, outcome: { error: error.message }, privateUrl: isPrivate ? last.url : undefined }
  }
}

/** The metadata, with the object `extra` if fields were requested. */
export function withExtra({ result, extra }: ReadResult, fields: readonly ExtraName[] | null): object {
  return fields === null ? result : { ...result, extra: extraOf(extra, fields) }
}

const explained = ({ url, trace, outcome }: FetchedUrl) => `${explanationFor(url, trace, outcome)}\n`

const jsonOf =
  ({ indent, explain, fields }: { indent: number; explain: boolean; fields: readonly ExtraName[] | undefined }) =>
  ({ url, trace, outcome }: FetchedUrl) => {
    const values = 'error' in outcome ? { error: outcome.error } : withExtra(outcome.read, fields ?? null)
    return JSON.stringify({ url, ...values, ...(explain && { explain: explanation(trace, outcome) }) }, null, indent)
  }

function privateRemedy(url: URL): string {
  const { host, port } = egressTarget(url)
  return `urlmeta: Private addresses are not fetched. To allow one, list it in URLMETA_ALLOW_PRIVATE_HOSTS, such as ${host}:${port}.\n`
}

/** Fetches `concurrency` URLs at a time and prints the results in the order of the URLs. */
async function printAll(
  urls: string[],
  read: (url: string) => Promise<FetchedUrl>,
  format: (line: FetchedUrl) => string,
  concurrency: number,
): Promise<{ anyFailed: boolean; privateUrl: string | undefined }> {
  using progress = startProgress(urls.length)
  let anyFailed = false
  let firstPrivate: string | undefined
  for await (const line of Readable.from(urls).map(read, { concurrency }) as AsyncIterable<FetchedUrl>) {
    anyFailed ||= 'error' in line.outcome
    firstPrivate ??= line.privateUrl
    await printAndWait(format(line))
    progress?.increment()
  }
  return { anyFailed, privateUrl: firstPrivate }
}

/** @throws AppError when the file cannot be read */
async function listedUrls(file: string): Promise<string[]> {
  const source: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file)
  try {
    const chunks: Uint8Array[] = []
    let size = 0
    // Counted while reading, because the size of a pipe is not known in advance.
    for await (const chunk of source) {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_LIST_BYTES) throw new Error(`longer than ${MAX_LIST_BYTES} bytes`)
    }
    // `fatal` rejects files in other encodings, whose URLs would be decoded incorrectly without an error.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
    return text
      .split(/[\r\n]/)
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
  } catch (cause) {
    const reason = cause instanceof TypeError ? 'not UTF-8' : fileErrorOf(cause)
    throw new AppError('not_found', `Cannot read ${file}: ${reason}`, { cause })
  }
}

/** The description of a system error, without the error code, system call and path that Node's message has. */
function fileErrorOf(error: unknown): string {
  const { errno } = error as NodeJS.ErrnoException
  return errno === undefined ? messageOf(error) : getSystemErrorMessage(errno)
}
