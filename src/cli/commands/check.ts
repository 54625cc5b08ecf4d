import { appendFileSync, writeFileSync } from 'node:fs'

import type { Command } from '@commander-js/extra-typings'

import type { Config } from '../../config.ts'
import { AppError } from '../../core/errors.ts'
import { FETCH_TIMEOUT_MS } from '../../core/limits.ts'
import { egressTarget, parseAllowRule } from '../../core/net/egress.ts'
import { parseUrl } from '../../core/web-url.ts'
import { liveSettings } from '../../core/settings/live-settings.ts'
import { fileArgument, originArgument, problemsArgument, sitemapArgument, timeoutArgument } from '../arguments.ts'
import { countsOf, createPrinter, GITHUB_FORMAT, JSON_FORMAT, JUNIT_FORMAT, textFormat } from '../check-formats.ts'
import { type CommandContext, CHECK_EXIT } from '../command.ts'
import { openUnreadList } from '../unread-list.ts'
import { CONCURRENCY, FILE_HELP, fileErrorOf, givenUrls, note, notePrivate, readInOrder, readUrl } from '../urls.ts'

const PUBLISHED_HINT = 'With --published-at https://example.com, the pages are checked as they will be at that address.'

const FORMATS = { json: JSON_FORMAT, junit: JUNIT_FORMAT, github: GITHUB_FORMAT }

export function addCheckCommand(program: Command, { readConfig, exit }: CommandContext) {
  program
    .command('check')
    .description('check the link previews of pages, without a server, an API key or a database')
    .argument('[urls...]', 'the pages')
    .option('--file <file>', FILE_HELP, fileArgument)
    .option('--sitemap <url>', 'check the pages that a sitemap lists, or the sitemaps of an index', sitemapArgument)
    .option('--app <names>', 'only for these apps, such as discord,slack; one that shows no card is an error')
    .option('--allow-private', 'allow the hosts and ports of the given URLs to be private, such as localhost:3000')
    .option('--published-at <origin>', 'the public address of pages served elsewhere until then', originArgument)
    .option('--timeout <ms>', 'time limit for each page, in milliseconds', timeoutArgument, FETCH_TIMEOUT_MS.default)
    .option('--errors-only', 'leave out warnings and notices')
    .option('--max-problems <number>', 'exit with 0 up to this number of errors and warnings', problemsArgument, 0)
    .option('--json', 'print a line of JSON for each page')
    .option('--junit', 'print JUnit XML')
    .option('--github', 'print annotations for GitHub Actions')
    .option('--html <file>', 'write a report with the cards as each app draws them', fileArgument)
    .option('--unread <file>', 'write the URLs that were not read, for --file', fileArgument)
    .action(async (args, options, command) => {
      const formats = (['json', 'junit', 'github'] as const).filter((name) => options[name])
      if (formats.length > 1) command.error('error: use only one of --json, --junit and --github')
      const { sitemap, publishedAt } = options
      // Exits with 2, like a page that cannot be read.
      const failed = (error: unknown) => {
        if (error instanceof AppError) command.error(`error: ${error.message}`)
        throw error
      }
      const given = await givenUrls(args, options.file).catch(failed)
      const roots = [...(sitemap ? [sitemap.href] : []), ...given]
      if (roots.length === 0) command.error('error: no URLs: pass them as arguments, with --file or with --sitemap')

      const { openPageChecker, APP_IDS } = await import('../../compose/page-checker.ts')
      const apps = options.app?.toLowerCase().split(/[\s,]+/) ?? []
      const unknown = apps.find((app) => !APP_IDS.includes(app))
      if (unknown !== undefined) command.error(`error: unknown app '${unknown}'; the apps are ${APP_IDS.join(', ')}`)

      const rules = new Set(roots.flatMap(ruleOf))
      const config = options.allowPrivate ? allowing(readConfig(), rules) : readConfig()
      const servedAt = parseUrl(roots[0]!)?.origin ?? ''
      await using checker = openPageChecker(config, true, publishedAt === undefined ? null : { servedAt, publishedAt })
      const { signal } = new AbortController()
      const listed = sitemap && (await checker.sitemap(sitemap, signal).catch(failed))
      if (listed?.isCut) note(`Only the first ${listed.urls.length} pages that the sitemap lists are checked.`)
      const all = [...given, ...(listed?.urls ?? [])]
      const urls = [...new Map(all.map((url) => [parseUrl(url)?.href ?? url, url])).values()]
      if (urls.length === 0) command.error('error: the sitemap lists no pages')

      const lineOf = (url: string) => {
        const served = checker.served(url)
        // In a list, `--allow-private` would allow the hosts of all URLs.
        const isComment = options.allowPrivate && !ruleOf(served).every((rule) => rules.has(rule))
        return isComment ? `# ${served}` : served
      }
      const unread = openUnreadList(options.unread, urls, lineOf)
      // Before the pages are read.
      requireWritable(options.unread, unread.write, command)
      requireWritable(options.html, (file) => appendFileSync(file, ''), command)
      const report = options.html === undefined ? null : await checker.report()
      const format = formats[0] === undefined ? textFormat(urls.length === 1) : FORMATS[formats[0]]
      const printed = createPrinter(format)
      let firstPrivate: string | undefined
      const read = (text: string) =>
        readUrl(text, config, (url, trace) => checker.check(url, { timeoutMs: options.timeout, signal, apps }, trace))
      for await (const { url, outcome, privateUrl } of readInOrder(urls, read, CONCURRENCY)) {
        firstPrivate ??= privateUrl
        if ('read' in outcome) {
          unread.read(url)
          const { record, check } = outcome.read
          if (options.errorsOnly) check.findings = check.findings.filter(({ severity }) => severity === 'error')
          await report?.add(record, signal)
          await printed.add({ url, check })
        } else {
          report?.addUnread(url, outcome.error)
          await printed.add({ url, error: outcome.error })
        }
      }
      const summary = printed.end()
      if (firstPrivate !== undefined) notePrivate(firstPrivate, options.allowPrivate ? '' : 'use --allow-private, or ')
      if (options.allowPrivate && publishedAt === undefined) note(PUBLISHED_HINT)
      if (options.html !== undefined) writeFileSync(options.html, report!.html(countsOf(summary)))
      unread.write()
      if (!unread.isEmpty()) exit(CHECK_EXIT.unread)
      else if (summary.problems > options.maxProblems) exit(CHECK_EXIT.problems)
    })
}

function requireWritable(
  file: string | undefined,
  write: (file: string) => void,
  command: { error: (message: string) => never },
) {
  try {
    if (file !== undefined) write(file)
  } catch (error) {
    command.error(`error: cannot write ${file}: ${fileErrorOf(error)}`)
  }
}

/** The host and port of a URL, as an exception of the guard. None if it is not a URL. */
function ruleOf(text: string): string[] {
  const url = parseUrl(text)
  const target = url && egressTarget(url)
  return target === null ? [] : [`${target.host}:${target.port}`]
}

function allowing(config: Config, rules: ReadonlySet<string>): Config {
  const added = [...rules].flatMap((rule) => parseAllowRule(rule) ?? [])
  return { ...config, live: liveSettings({ ...config.live, allow: [...config.live.allow, ...added] }) }
}
