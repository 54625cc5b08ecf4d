import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'

/** The kind of value that an option takes; an array lists the allowed values. */
export type OptionValue = 'none' | 'text' | 'file' | 'directory' | readonly string[]

export interface CompletedOption {
  /** Such as `-v` and `--version`. */
  flags: readonly string[]
  description: string
  value: OptionValue
}

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
    subcommands: children.map(named),
    options: help.visibleOptions(program).map(completedOption),
    choices: program.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  }
  const below = children.map((child) => ({ child, childPath: `${path} ${child.name()}`.trim() }))
  return [
    own,
    ...below.flatMap(({ child, childPath }) =>
      child.name() === 'help' ? helpTree(program, childPath) : completionTree(child, childPath),
    ),
  ]
}

/** The arguments of `help` are names of commands, so they are completed like subcommands. */
function helpTree(program: CommandUnknownOpts, path: string): CompletedCommand[] {
  const children = program
    .createHelp()
    .visibleCommands(program)
    .filter((child) => child.name() !== 'help')
  const own: CompletedCommand = { path, subcommands: children.map(named), options: [], choices: [] }
  return [own, ...children.flatMap((child) => helpTree(child, `${path} ${child.name()}`))]
}

const named = (command: CommandUnknownOpts) => ({ name: command.name(), description: command.description() })

function completedOption({ short, long, description, required, optional, flags, argChoices }: Option): CompletedOption {
  const value = argChoices ?? (!required && !optional ? 'none' : placeholderValue(flags))
  return { flags: [short, long].filter((flag) => flag !== undefined), description, value }
}

/** The kind of value, from the placeholder: `--file <file>`, `--data-dir <dir>`. */
function placeholderValue(flags: string): OptionValue {
  if (flags.includes('<file>')) return 'file'
  return flags.includes('<dir>') ? 'directory' : 'text'
}
