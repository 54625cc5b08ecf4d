import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'

/** The kind of value that an option takes; an array lists the allowed values. */
export type OptionValue = 'none' | 'text' | 'file' | 'directory' | readonly string[]

export interface CompletedOption {
  /** Such as `-V` and `--version`. */
  flags: readonly string[]
  description: string
  value: OptionValue
}

/** A command with the data that completion scripts need. */
export interface CompletedCommand {
  /** The words after `urlmeta`, such as `key create`; empty for the program itself. */
  path: string
  subcommands: readonly { name: string; description: string }[]
  options: readonly CompletedOption[]
  /** The allowed values of the arguments, such as the plan names. */
  choices: readonly string[]
}

/** The program and all its commands, parents first. All completion scripts are generated from this list. */
export function completionTree(program: CommandUnknownOpts, path = ''): CompletedCommand[] {
  const help = program.createHelp()
  const children = help.visibleCommands(program)
  const own: CompletedCommand = {
    path,
    subcommands: children.map((child) => ({ name: child.name(), description: child.description() })),
    options: help.visibleOptions(program).map(completedOption),
    choices: program.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  }
  return [own, ...children.flatMap((child) => completionTree(child, `${path} ${child.name()}`.trim()))]
}

function completedOption({ short, long, description, required, optional, flags, argChoices }: Option): CompletedOption {
  const value = argChoices ?? (!required && !optional ? 'none' : placeholderValue(flags))
  return { flags: [short, long].filter((flag) => flag !== undefined), description, value }
}

/** The kind of value, from the placeholder: `--file <file>`, `--data-dir <dir>`. */
function placeholderValue(flags: string): OptionValue {
  if (flags.includes('<file>')) return 'file'
  return flags.includes('<dir>') ? 'directory' : 'text'
}
