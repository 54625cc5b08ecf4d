// The manual page, which build.ts and release.ts write. It is generated from the commands and variables, so that it is complete.
import type { CommandUnknownOpts } from '@commander-js/extra-typings'

import { EXIT } from './src/cli/command.ts'
import { createProgram } from './src/cli/run.ts'
import { parseConfig } from './src/config.ts'
import { VERSION } from './src/version.ts'

/** A section 1 page in the macros of man(7). It has no date, so that builds are reproducible. */
export function manPage(): string {
  // No command runs.
  const program = createProgram({ env: {}, readConfig: unused, exit: unused })
  const lines = [
    `.TH URLMETA 1 "" "urlmeta ${VERSION}" "User Commands"`,
    '.SH NAME',
    `urlmeta \\- ${roff(program.description().split('. ')[0]!)}`,
    '.SH SYNOPSIS',
    '.B urlmeta',
    roff(program.usage()),
    '.SH DESCRIPTION',
    roff(program.description()),
    '.SH OPTIONS',
    ...optionsOf(program),
    '.SH COMMANDS',
    ...commandsBelow(program, 'urlmeta').flatMap(({ command, path }) => [
      `.SS ${roff(`${path} ${command.usage()}`)}`,
      roff(command.description()),
      ...argumentsOf(command),
      ...optionsOf(command),
    ]),
    '.SH ENVIRONMENT',
    'Settings are read from these variables and from a file',
    '.I .env',
    'in the working directory;',
    '.B urlmeta config',
    'prints their values, and docs/configuration.md describes them.',
    '.PP',
    '.nf',
    ...variableNames().map(roff),
    '.fi',
    '.SH EXIT STATUS',
    ...entry(String(EXIT.success), 'Success.'),
    ...entry(String(EXIT.failure), 'The command failed.'),
    ...entry(String(EXIT.usageError), 'Incorrect usage or an invalid configuration.'),
  ]
  return `${lines.join('\n')}\n`
}

function unused(): never {
  throw new Error('not used')
}

/** All variables except URLMETA_OIDC_<NAME>_…, whose names depend on the configuration. */
function variableNames(): string[] {
  const defaults = parseConfig({})
  return 'variables' in defaults ? defaults.variables.map(({ name }) => name) : []
}

/** Every command without subcommands, and its full name such as `urlmeta key create`. */
function commandsBelow(command: CommandUnknownOpts, path: string): { command: CommandUnknownOpts; path: string }[] {
  return command.commands.flatMap((child) => {
    const childPath = `${path} ${child.name()}`
    const deeper = commandsBelow(child, childPath)
    return deeper.length > 0 ? deeper : [{ command: child, path: childPath }]
  })
}

function argumentsOf(command: CommandUnknownOpts): string[] {
  const help = command.createHelp()
  return help.visibleArguments(command).flatMap((argument) => {
    const description = help.argumentDescription(argument)
    return description === '' ? [] : entry(argument.name(), description)
  })
}

/** All options except `--help`, which every command has. */
function optionsOf(command: CommandUnknownOpts): string[] {
  const help = command.createHelp()
  return help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .flatMap((option) => entry(option.flags, help.optionDescription(option)))
}

/** A term, with its meaning on the next line. */
function entry(term: string, meaning: string): string[] {
  return ['.TP', `.B ${roff(term)}`, roff(meaning)]
}

/** Escapes text for roff: escapes, leading requests, quotes, and hyphens, which would become typographic ones. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replace(/^(?=[.'])/, '\\&')
    .replaceAll('\n', ' ')
}
