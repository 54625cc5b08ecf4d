import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { getSystemErrorMessage } from 'node:util'

import type { Config } from '../config.ts'
import { AppError, messageOf } from '../core/errors.ts'
import type { FetchTrace } from '../core/fetch/trace.ts'
import { egressTarget } from '../core/net/egress.ts'
import { parseTargetUrl } from '../core/net/url.ts'
import { printable } from './output.ts'
import { startProgress } from './progress.ts'

// The URLs that a command reads: arguments, and lines of a file.

export const FILE_HELP = 'read URLs from a file, one per line, without lines that start with #; - for standard input'

/**
 * The number of concurrent fetches: enough to hide slow sites, too few to overload a site that has many of the URLs.
 */
export const CONCURRENCY = 32

/** A larger file is most likely not a list of URLs. */
const MAX_LIST_BYTES = 64 * 1024 * 1024

/** The URLs of the arguments and of the file. Says how arguments without a scheme are read. @throws AppError */
export async function givenUrls(args: readonly string[], file: string | undefined): Promise<string[]> {
  const listed = file === undefined ? [] : await listedUrls(file)
  const urls = [...args, ...listed].map(withScheme)
  for (const [index, text] of args.entries()) {
    if (urls[index] !== text) note(`${printable(text)} is read as ${printable(urls[index]!)}`)
  }
  return urls
}

/** A line on stderr. */
export function note(text: string) {
  process.stderr.write(`urlmeta: ${text}\n`)
}

/** A host name or IPv4 address, perhaps with a port and a path, as people type it. `1.2` is neither. */
const WITHOUT_SCHEME = /^(?:(?:\d+\.){3}\d+|[^\s:/?#@]+\.[^\s:/?#@.\d][^\s:/?#@.]*)(?::\d+)?(?:[/?#]|$)/

/** `https://github.com` for `github.com`. Everything else stays as it is. */
export function withScheme(text: string): string {
  return WITHOUT_SCHEME.test(text) ? `https://${text}` : text
}

/** A URL that was read, or why it could not be read. */
export interface UrlOutcome<Read> {
  url: string
  trace: FetchTrace
  outcome: { read: Read } | { error: string }
  /** The URL that was refused because its destination is private. */
  privateUrl?: string | undefined
}

/** Parses and reads a URL. A failure is returned as an outcome. */
export async function readUrl<Read>(
  url: string,
  { live }: Pick<Config, 'live'>,
  read: (url: URL, trace: FetchTrace) => Promise<Read>,
): Promise<UrlOutcome<Read>> {
  const trace: FetchTrace = { hops: [] }
  const target = parseTargetUrl(url, live.allow)
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

/** Reads `concurrency` URLs at a time, and returns the outcomes in the order of the URLs. Shows the progress. */
export async function* readInOrder<Outcome>(
  urls: readonly string[],
  read: (url: string) => Promise<Outcome>,
  concurrency: number,
): AsyncGenerator<Outcome> {
  using progress = startProgress(urls.length)
  for await (const outcome of Readable.from(urls).map(read, { concurrency }) as AsyncIterable<Outcome>) {
    yield outcome
    progress?.increment()
  }
}

/** Says how to allow a private destination that was refused. */
export function notePrivate(privateUrl: string, option = '') {
  const { host, port } = egressTarget(new URL(privateUrl))
  const setting = `list it in URLMETA_ALLOW_PRIVATE_HOSTS, such as ${host}:${port}`
  note(`Private addresses are not fetched. To allow one, ${option}${setting}.`)
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
export function fileErrorOf(error: unknown): string {
  const { errno } = error as NodeJS.ErrnoException
  return errno === undefined ? messageOf(error) : getSystemErrorMessage(errno)
}
