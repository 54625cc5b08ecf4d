import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'

import { parseConfig } from '../../config.ts'
import { VERSION } from '../../version.ts'
import { EXIT } from '../command.ts'
import { print } from '../output.ts'

/** `urlmeta man`. The page is generated from the commands and variables, so that it is always complete. */
export function addManCommand(program: Command) {
  program
    .command('man')
    .description('print the manual page')
    .addHelpText('after', '\nTo read it: urlmeta man | man -l -')
    .action(() => print(manPage(program)))
}

/** A section 1 page in the macros of man(7). It has no date, so that builds are reproducible. */
function manPage(program: CommandUnknownOpts): string {
  return [
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
  ].join('\n')
}

/** All variables except URLMETA_OIDC_<NAME>_…, whose names depend on the configuration. */
function variableNames(): string[] {
  const defaults = parseConfig({})
  return 'settings' in defaults ? defaults.settings.map(({ name }) => name) : []
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
