import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'

/** `urlmeta help [COMMAND]`, the same text as `urlmeta COMMAND --help`. */
export function addHelpCommand(program: Command) {
  program
    .command('help')
    .description('print the help of a command')
    .argument('[command...]', 'such as `fetch` or `key create`')
    .action((path) => commandAt(program, path).help())
}

function commandAt(program: CommandUnknownOpts, path: readonly string[]): CommandUnknownOpts {
  let command = program
  for (const name of path) {
    const next = command.commands.find((candidate) => candidate.name() === name)
    if (!next) return program.error(`error: unknown command '${path.join(' ')}'`)
    command = next
  }
  return command
}
