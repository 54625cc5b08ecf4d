import { styleText } from 'node:util'

import { Command, CommanderError } from '@commander-js/extra-typings'

import { AppError, messageOf } from '../core/errors.ts'
import { messageWithCause, STORE_FAULTS, StoreError } from '../core/store-fault.ts'
import type { Env } from '../config/env-reader.ts'
import { addBackupCommands } from './commands/backup.ts'
import { addCacheCommands } from './commands/cache.ts'
import { addCheckCommand } from './commands/check.ts'
import { type CommandContext, EXIT } from './command.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addConfigCommand } from './commands/config.ts'
import { InvalidConfigError, loadConfig } from './load-config.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addExportCommands } from './commands/export.ts'
import { addFetchCommand } from './commands/fetch.ts'
import { addHelpCommand } from './commands/help.ts'
import { addKeyCommands } from './commands/key.ts'
import { addLogsCommand } from './commands/logs.ts'
import { addMcpCommand } from './commands/mcp.ts'
import { addMoveCommand } from './commands/move.ts'
import { addOpenapiCommand } from './commands/openapi.ts'
import { exitOnOutputError, printable } from './output.ts'
import { addServeCommand } from './commands/serve.ts'
import { addUserCommands } from './commands/user.ts'
import { addVersionCommand } from './commands/version.ts'

/** The program with all its commands, which read neither settings nor data before they run. */
export function createProgram(context: CommandContext): Command {
  const program: Command = new Command('urlmeta')
    .description('Self-hosted URL metadata service. Without a command, it starts the server.')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(`${red(`urlmeta: ${oneLine(text)}`)}\n`) })
    .configureHelp({ showGlobalOptions: false })
  addServeCommand(program, context)
  addFetchCommand(program, context)
  addCheckCommand(program, context)
  addMcpCommand(program, context)
  addKeyCommands(program, context)
  addUserCommands(program, context)
  addLogsCommand(program, context)
  addCacheCommands(program, context)
  addBackupCommands(program, context)
  addExportCommands(program, context)
  addMoveCommand(program, context)
  addDoctorCommand(program, context)
  addConfigCommand(program, context)
  addOpenapiCommand(program, context)
  addVersionCommand(program)
  addCompletionCommand(program)
  addHelpCommand(program)
  program.addHelpText(
    'after',
    '\nSettings are read from URLMETA_* environment variables and a .env file; `urlmeta config` prints them.',
  )
  return program
}

/** Runs the command in `argv` (without the executable), or `serve` when it is empty. Returns the exit code. */
export async function run(argv: string[], env: Env): Promise<number> {
  let exitCode: number = EXIT.success
  const readConfig = () => loadConfig(env).config
  const program = createProgram({ env, readConfig, exit: (code) => (exitCode = code) })
  exitOnOutputError()
  // Also of callbacks and of promises that nothing waits for. The runtime would print the source code around the error.
  process.on('uncaughtException', (error) => process.exit(report(error, env)))
  try {
    await program.parseAsync(argv.length > 0 ? argv : ['serve'], { from: 'user' })
    return exitCode
  } catch (error) {
    return report(error, env)
  }
}

/** Prints an error as one line, and returns the exit code. */
function report(error: unknown, env: Env): number {
  // Commander has already printed its own message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usageError
  const isUsage = error instanceof InvalidConfigError || (error instanceof AppError && error.kind === 'invalid_request')
  const text = error instanceof InvalidConfigError ? error.message : `urlmeta: ${printable(textOf(error))}`
  const stack = env['URLMETA_LOG'] === 'debug' && error instanceof Error ? `\n${error.stack}` : ''
  process.stderr.write(`${red(text)}${stack}\n`)
  return isUsage ? EXIT.usageError : EXIT.failure
}

function textOf(error: unknown): string {
  if (error instanceof AppError) return error.message
  if (error instanceof StoreError) {
    return `Cannot use the database: ${messageWithCause(error)}. ${STORE_FAULTS[error.fault].remedy}`
  }
  return `Unexpected error: ${messageOf(error)}. URLMETA_LOG=debug prints where it occurred.`
}

/** On a terminal, unless NO_COLOR is set. */
function red(text: string): string {
  return styleText('red', text, { stream: process.stderr })
}

/** Messages repeat arguments, which can be long. */
const MAX_MESSAGE_CHARACTERS = 1_000

/** Joins the lines of a Commander message (suggestions are on a second line) and replaces control characters. */
function oneLine(text: string): string {
  const line = text
    .trim()
    .replace(/^error: /, '')
    .replaceAll(/\s*\n\s*/g, ' ')
  return printable(line.length > MAX_MESSAGE_CHARACTERS ? `${line.slice(0, MAX_MESSAGE_CHARACTERS)}…` : line)
}
