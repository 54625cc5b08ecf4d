import { Command, CommanderError } from '@commander-js/extra-typings'

import { AppError } from '../core/errors.ts'
import type { Env } from '../config/env-reader.ts'
import { type CommandContext, EXIT } from './command.ts'
import { addConfigCommand } from './config.ts'
import { ConfigFaults } from './environment.ts'
import { addFetchCommand } from './fetch.ts'
import { addKeyCommands } from './key.ts'
import { addOpenapiCommand } from './openapi.ts'
import { endWithReader } from './output.ts'
import { addServeCommand } from './serve.ts'
import { addUserCommands } from './user.ts'
import { addVersionCommand } from './version.ts'

/** argv (without the executable) → command → exit code. `urlmeta` alone serves. */
export async function run(argv: string[], env: Env): Promise<number> {
  let exitCode: number = EXIT.done
  const context: CommandContext = { env, exit: (code) => (exitCode = code) }
  const program = new Command('urlmeta')
    .description('Self-hosted URL metadata service. Without a command it serves.')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(`urlmeta: ${oneLine(text)}\n`) })
    .configureHelp({ showGlobalOptions: false })
  addServeCommand(program, context)
  addFetchCommand(program, context)
  addKeyCommands(program, context)
  addUserCommands(program, context)
  addConfigCommand(program, context)
  addOpenapiCommand(program, context)
  addVersionCommand(program)
  program.addHelpText('after', '\nSettings come from URLMETA_* variables; `urlmeta config` shows them.')

  endWithReader()
  try {
    await program.parseAsync(argv.length > 0 ? argv : ['serve'], { from: 'user' })
    return exitCode
  } catch (error) {
    // Commander has written its own message already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUse
    if (error instanceof ConfigFaults) {
      process.stderr.write(`${error.message}\n`)
      return EXIT.wrongUse
    }
    if (error instanceof AppError) {
      process.stderr.write(`urlmeta: ${error.message}\n`)
      return error.kind === 'invalid_request' ? EXIT.wrongUse : EXIT.failed
    }
    throw error
  }
}

/** Commander puts its suggestion on a second line. */
function oneLine(text: string): string {
  return text
    .trim()
    .replace(/^error: /, '')
    .replaceAll(/\s*\n\s*/g, ' ')
}
