import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'

/** What can follow an option on the command line. */
export type OptionValue = 'none' | 'text' | 'file' | 'directory' | readonly string[]

export interface CompletedOption {
  /** As they are typed: `-V`, `--version`. */
  flags: readonly string[]
  description: string
  value: OptionValue
}

/** A command as completion scripts need it. */
export interface CompletedCommand {
  /** The words after `urlmeta`, such as `key create`; empty for the program itself. */
  path: string
  subcommands: readonly { name: string; description: string }[]
  options: readonly CompletedOption[]
  /** Words that an argument may be, such as the names of the plans. */
  choices: readonly string[]
}

/** The program and all its commands, parents first: the one source of every completion script. */
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

/** `--file <file>` and `--data-dir <dir>` say by their placeholders what they take. */
function placeholderValue(flags: string): OptionValue {
  if (flags.includes('<file>')) return 'file'
  return flags.includes('<dir>') ? 'directory' : 'text'
}
