import type { Command } from '@commander-js/extra-typings'

import { type ExtraName, extraOf, PAGE_EXTRA_NAMES } from '../../core/extract/fields/extra.ts'
import { AppError } from '../../core/errors.ts'
import { FETCH_TIMEOUT_MS } from '../../core/limits.ts'
import type { ReadResult } from '../../service/lookup/reader.ts'
import { fieldsArgument, fileArgument, languageArgument, timeoutArgument } from '../arguments.ts'
import { explain as explanationFor, explanation } from '../explain.ts'
import { printAndWait } from '../output.ts'
import { CONCURRENCY, FILE_HELP, givenUrls, notePrivate, readInOrder, readUrl, type UrlOutcome } from '../urls.ts'
import { EXIT, type CommandContext } from '../command.ts'

export function addFetchCommand(program: Command, { readConfig, exit }: CommandContext) {
  program
    .command('fetch')
    .description('print the metadata of URLs, without a server, an API key or a database')
    .argument('[urls...]', 'one URL prints indented JSON, several print one line of JSON each')
    .option('--file <file>', FILE_HELP, fileArgument)
    .option('--timeout <ms>', 'time limit for each URL, in milliseconds', timeoutArgument, FETCH_TIMEOUT_MS.default)
    .option('--language <languages>', 'languages to ask the sites for, such as de-CH,de;q=0.9', languageArgument)
    .option('--fields <names>', `add the object extra with ${PAGE_EXTRA_NAMES.join(', ')}`, fieldsArgument)
    .option('--headless', 'render every page in Chromium, even if a plain request is enough')
    .option('--explain', 'print addresses, redirects, timing and the source of each value')
    .option('--json', 'with --explain, print the explanation as JSON')
    .action(async (args, { file, timeout, language, fields, headless, explain, json }, command) => {
      const config = readConfig()
      const urls = await givenUrls(args, file)
      if (urls.length === 0) command.error('error: no URLs: pass them as arguments, or a file of them with --file')

      const { chromiumOf, mayStart } = await import('../../compose/chromium.ts')
      if (headless && !mayStart(chromiumOf(config))) {
        throw new AppError('not_found', 'No Chromium found: install one, or correct URLMETA_CHROMIUM')
      }

      const { openPageReader } = await import('../../compose/page-reader.ts')
      await using reader = openPageReader(config)
      const preference = headless ? 'headless' : 'automatic'
      const options = { timeoutMs: timeout, language }
      const read = (text: string) => readUrl(text, config, (url, trace) => reader.read(url, options, trace, preference))
      const isSingle = urls.length === 1 && file === undefined
      const format =
        explain && !json ? explained : jsonOf({ indent: isSingle ? 2 : 0, explain: explain ?? false, fields })
      // With more concurrent pages, requests would time out while they wait for the browser.
      const concurrency = headless ? config.headlessConcurrency : CONCURRENCY
      let anyFailed = false
      let firstPrivate: string | undefined
      for await (const line of readInOrder(urls, read, concurrency)) {
        anyFailed ||= 'error' in line.outcome
        firstPrivate ??= line.privateUrl
        await printAndWait(format(line))
      }
      if (firstPrivate !== undefined) notePrivate(firstPrivate)
      if (anyFailed) exit(EXIT.failure)
    })
}

/** The metadata, with the object `extra` if fields were requested. */
export function withExtra({ result, extra }: ReadResult, fields: readonly ExtraName[] | null): object {
  return fields === null ? result : { ...result, extra: extraOf(extra, fields) }
}

const explained = ({ url, trace, outcome }: UrlOutcome<ReadResult>) => `${explanationFor(url, trace, outcome)}\n`

const jsonOf =
  ({ indent, explain, fields }: { indent: number; explain: boolean; fields: readonly ExtraName[] | undefined }) =>
  ({ url, trace, outcome }: UrlOutcome<ReadResult>) => {
    const values = 'error' in outcome ? { error: outcome.error } : withExtra(outcome.read, fields ?? null)
    return JSON.stringify({ url, ...values, ...(explain && { explain: explanation(trace, outcome) }) }, null, indent)
  }
