import type { Command } from '@commander-js/extra-typings'

import type { Config } from '../../config.ts'
import { bytesText } from '../../core/byte-count.ts'
import { AppError } from '../../core/errors.ts'
import type { PageResult } from '../../core/fetch/page-result.ts'
import type { StoredVariant } from '../../core/fetch/result-cache.ts'
import { parseDetails } from '../../core/fetch/result-details.ts'
import { isoTime } from '../../core/iso-time.ts'
import { languageOfVariant } from '../../core/net/language.ts'
import { requireDatabase } from '../accounts.ts'
import { pageArgument } from '../arguments.ts'
import type { CommandContext } from '../command.ts'
import { printResult, utcText } from '../output.ts'

export function addCacheCommands(program: Command, { readConfig }: CommandContext) {
  const cache = program.command('cache').description('show and delete the cached results of a page')

  cache
    .command('show')
    .description('print the cached results of a page, in each language')
    .argument('<url>', 'as it is requested', pageArgument)
    .option('--json', 'print {"url", "results"}')
    .action(async (page, { json }) => {
      const config = readConfig()
      await using opened = await openResults(config)
      const stored = await opened.results.variantsOf(page)
      const results = stored.map((result) => describe(result, config)).toSorted(byLanguage)
      if (results.length === 0) throw notCached(page)
      printResult(json, { url: page, results }, [page, ...results.flatMap(resultLines)].join('\n'))
    })

  cache
    .command('delete')
    .description('delete the cached results of a page, so that the next request fetches it again')
    .argument('<url>', 'as it is requested', pageArgument)
    .option('--json', 'print {"url", "deleted"}')
    .action(async (page, { json }) => {
      await using opened = await openResults(readConfig())
      const deleted = await opened.results.deletePage(page, true)
      if (deleted === 0) throw notCached(page)
      const results = `${deleted} ${deleted === 1 ? 'result' : 'results'}`
      const text = `Deleted ${results} of ${page}. Running servers delete their copies within a second.`
      printResult(json, { url: page, deleted }, text)
    })
}

async function openResults(config: Config) {
  // Results in Redis need no database.
  if (config.redisUrl === null) requireDatabase(config)
  const { openResultCache } = await import('../../compose/result-cache.ts')
  return openResultCache(config)
}

const notCached = (page: string) => new AppError('not_found', `No cached result of ${page}`)

type Description = ReturnType<typeof describe>

const byLanguage = (a: Description, b: Description) => (a.language ?? '').localeCompare(b.language ?? '')

/** A stored result as `--json` prints it. */
function describe({ json, details, storedAtMs, variant }: StoredVariant, config: Config) {
  const hops = parseDetails(details)?.trace.hops ?? []
  const listId = / [^ =]+$/.exec(variant)?.[0] ?? ''
  return {
    language: languageOfVariant(variant),
    /**
     * Compares the URLMETA_ALLOW_PRIVATE_HOSTS of the fetch with the current value. The server does not use results
     * that were fetched with another value.
     */
    private_hosts: listId === '' ? 'none' : listId === config.live.allowListId ? 'current' : 'other',
    final_url: hops.findLast(({ failure }) => failure === undefined)?.url ?? null,
    stored_at: isoTime(storedAtMs),
    expires_at: isoTime(storedAtMs + config.cache.ttlMs),
    bytes: Buffer.byteLength(json) + Buffer.byteLength(details ?? ''),
    metadata: JSON.parse(json) as PageResult,
  }
}

function resultLines(result: Description): string[] {
  const { language, private_hosts: list, final_url: finalUrl, bytes, metadata } = result
  const expiresAtMs = Date.parse(result.expires_at)
  return [
    '',
    `  language   ${language ?? "the server's"}`,
    `  fetched    ${utcText(Date.parse(metadata.fetched_at))} UTC, ${metadata.fetch_method}`,
    `  expires    ${utcText(expiresAtMs)} UTC${expiresAtMs <= Date.now() ? ', not used any more' : ''}`,
    ...(list === 'other' ? ['  not used   fetched under another URLMETA_ALLOW_PRIVATE_HOSTS'] : []),
    ...(finalUrl === null ? [] : [`  final URL  ${finalUrl}`]),
    `  size       ${bytesText(bytes)}`,
    JSON.stringify(metadata, null, 2).replaceAll(/^/gm, '  '),
  ]
}
