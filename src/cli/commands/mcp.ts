import type { Command } from '@commander-js/extra-typings'

import { PAGE_EXTRA_NAMES } from '../../core/extract/fields/extra.ts'
import { AppError } from '../../core/errors.ts'
import { serveLines } from '../../mcp/json-rpc.ts'
import { pageTools } from '../../mcp/page-tools.ts'
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
      const { openPageReader } = await import('../../compose/page-reader.ts')
      await using reader = openPageReader(config)
      const tools = pageTools(PAGE_EXTRA_NAMES, {
        get_metadata: {
          outputSchema: await reader.schema(),
          async call({ url, fields, ...options }, signal) {
            const read = readUrl(url, config, (target, trace) => reader.read(target, { ...options, signal }, trace))
            const { outcome } = await read
            if ('error' in outcome) throw new AppError('fetch_failed', outcome.error)
            return { url, ...withExtra(outcome.read, fields) }
          },
        },
      })
      await serveLines(process.stdin, methodsOf(tools), (line) => process.stdout.write(line))
    })
}
