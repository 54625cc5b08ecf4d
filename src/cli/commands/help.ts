import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'

/** `urlmeta help [COMMAND]`, the same text as `urlmeta COMMAND --help`. Must be added after all other commands. */
export function addHelpCommand(program: Command) {
  const names = program.commands.map((command) => command.name())
  const argument = program.createArgument('[command...]', 'such as `fetch` or `key create`').choices(names)
  program
    .command('help')
    .description('print the help of a command')
    // The choices are only for shell completion; the parser also accepts several words, such as `key create`.
    .addArgument(argument.argParser((name: string, path: string[] = []) => [...path, name]))
    .action((path) => commandAt(program, path ?? []).help())
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
