import type { CommandUnknownOpts } from '@commander-js/extra-typings'

import bash from './completion/bash.txt' with { type: 'text' }
import fish from './completion/fish.txt' with { type: 'text' }
import zsh from './completion/zsh.txt' with { type: 'text' }

/** In place of candidates: the shell completes the path of a file or of a directory. */
const PATHS: readonly string[] = ['<file>', '<dir>']

/**
 * What can follow the words after `urlmeta`, of which the last one is incomplete: candidates as `word<Tab>description`, or
 * only `<file>` or `<dir>`.
 */
export function completionsOf(program: CommandUnknownOpts, words: readonly string[]): string[] {
  const typed = words.slice(0, -1)
  const current = words.at(-1) ?? ''
  const path = typed.filter((word) => word !== 'help')
  const command = path.reduce(commandBelow, program)
  // The arguments of `help` are the names of commands.
  const candidates =
    path.length < typed.length
      ? subcommandsOf(command).filter((candidate) => !candidate.startsWith('help\t'))
      : (valuesAfter(command, typed.at(-1)) ?? candidatesOf(command))
  return candidates.filter((candidate) => candidate.startsWith(current) || PATHS.includes(candidate))
}

const childrenOf = (command: CommandUnknownOpts) => command.createHelp().visibleCommands(command)

const commandBelow = (command: CommandUnknownOpts, word: string) =>
  childrenOf(command).find((child) => child.name() === word) ?? command

const subcommandsOf = (command: CommandUnknownOpts) =>
  childrenOf(command).map((child) => `${child.name()}\t${child.description()}`)

/** The values of an option, if `word` is one that has a value. */
function valuesAfter(command: CommandUnknownOpts, word: string | undefined): string[] | null {
  const option = command.options.find(({ short, long }) => word !== undefined && [short, long].includes(word))
  if (!option?.required && !option?.optional) return null
  const { argChoices = [], flags } = option
  return [...argChoices, ...PATHS.filter((placeholder) => flags.includes(placeholder))]
}

function candidatesOf(command: CommandUnknownOpts): string[] {
  const options = command.createHelp().visibleOptions(command)
  return [
    ...subcommandsOf(command),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    ...options.flatMap(({ short, long, description }) =>
      [short, long].filter(Boolean).map((flag) => `${flag}\t${description}`),
    ),
  ]
}

/** zsh sources its script, or finds it in `fpath` as `_urlmeta`. */
export const COMPLETION_SCRIPTS = { bash, zsh, fish } as const
