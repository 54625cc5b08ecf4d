import type { Command } from '@commander-js/extra-typings'

import { publicOrigin } from '../../config.ts'
import { print } from '../output.ts'
import type { CommandContext } from '../command.ts'

export function addOpenapiCommand(program: Command, { readConfig }: CommandContext) {
  program
    .command('openapi')
    .description('print the OpenAPI document')
    .option('--json', 'accepted for consistency; the document is always JSON')
    .action(async () => {
      const { openapiOf } = await import('../../compose/dashboard.ts')
      const config = readConfig()
      print(JSON.stringify(openapiOf(config, config.live, publicOrigin(config)), null, 2))
    })
}
