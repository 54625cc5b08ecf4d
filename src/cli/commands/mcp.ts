import type { Command } from '@commander-js/extra-typings'

import { PAGE_EXTRA_NAMES } from '../../core/extract/fields/extra.ts'
import { AppError } from '../../core/errors.ts'
import { serveLines } from '../../mcp/json-rpc.ts'
import { PAGE_CHECK_SCHEMA, pageTools } from '../../mcp/page-tools.ts'
import { methodsOf } from '../../mcp/protocol.ts'
import type { CommandContext } from '../command.ts'
import { readUrl } from '../urls.ts'
import { withExtra } from './fetch.ts'

/** `urlmeta mcp`: a Model Context Protocol server on standard input and output, until the input ends. */
export function addMcpCommand(program: Command, { readConfig }: CommandContext) {
  program
    .command('mcp')
    .description('serve metadata of URLs to AI agents, over the Model Context Protocol on standard input and output')
    .action(async () => {
      const config = readConfig()
      const { APP_IDS, openPageChecker } = await import('../../compose/page-checker.ts')
      await using checker = openPageChecker(config, false)
      const { reader } = checker
      /** @throws AppError */
      async function read<Content>(url: string, reading: Parameters<typeof readUrl<Content>>[2]): Promise<Content> {
        const { outcome } = await readUrl(url, config, reading)
        if ('error' in outcome) throw new AppError('fetch_failed', outcome.error)
        return outcome.read
      }
      const names = { extra: PAGE_EXTRA_NAMES, apps: APP_IDS }
      const tools = pageTools(names, {
        get_metadata: {
          outputSchema: await reader.schema(),
          async call({ url, fields, ...options }, signal) {
            const found = await read(url, (target, trace) => reader.read(target, { ...options, signal }, trace))
            return { url, ...withExtra(found, fields) }
          },
        },
        check_page: {
          outputSchema: PAGE_CHECK_SCHEMA,
          async call({ url, ...options }, signal) {
            const found = await read(url, (target, trace) => checker.check(target, { ...options, signal }, trace))
            return found.check
          },
        },
      })
      await serveLines(process.stdin, methodsOf(tools), (line) => process.stdout.write(line))
    })
}
