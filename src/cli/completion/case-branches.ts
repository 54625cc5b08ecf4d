import type { CompletedCommand, OptionValue } from './tree.ts'

/** `case` branches of bash and zsh that recognize the subcommands of a command. */
export function subcommandBranches({ path, subcommands }: CompletedCommand): string[] {
  return subcommands.map(({ name }) => `      ('${path}/${name}') command='${`${path} ${name}`.trim()}' ;;`)
}

/**
 * `case` branches of bash and zsh that complete the value of an option. `complete` returns the shell command for a
 * value.
 */
export function valueBranches({ path, options }: CompletedCommand, complete: (value: OptionValue) => string): string[] {
  return options
    .filter(({ value }) => value !== 'none')
    .map(({ flags, value }) => {
      const patterns = flags.map((flag) => `'${path}/${flag}'`).join('|')
      return `    (${patterns}) ${complete(value)}return ;;`
    })
}
