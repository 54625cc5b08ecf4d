import type { Command } from '@commander-js/extra-typings'

import { loadConfig } from '../load-config.ts'
import { print, printJson, table } from '../output.ts'
import type { CommandContext } from '../command.ts'

export function addConfigCommand(program: Command, { env }: CommandContext) {
  program
    .command('config')
    .description('print the effective configuration, with secrets masked')
    .option('--json', 'print an object with one property per variable')
    .action(({ json }) => {
      const { variables } = loadConfig(env)
      if (json) printJson(Object.fromEntries(variables.map(({ name, ...variable }) => [name, variable])))
      else {
        print(table(variables.map(({ name, value, source }) => ({ variable: name, value: value ?? '–', source }))))
        for (const { name, detail } of variables) {
          if (detail !== undefined) print(`\n${name}:\n${JSON.stringify(detail, null, 2)}`)
        }
      }
    })
}
