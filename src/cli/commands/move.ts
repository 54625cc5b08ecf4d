import { type Command, Option } from '@commander-js/extra-typings'

import type { Moved } from '../../compose/data/move.ts'
import type { Config } from '../../config.ts'
import { databaseUrl } from '../../config/database.ts'
import { AppError } from '../../core/errors.ts'
import { type CommandContext, interruption } from '../command.ts'
import { printResult, secondsText } from '../output.ts'
import { workBar } from '../progress.ts'
import { countText } from './export.ts'

export function addMoveCommand(program: Command, { readConfig }: CommandContext) {
  program
    .command('move')
    .description('move the database to PostgreSQL while no server runs')
    .addOption(
      new Option('--from <store>', 'the database in the data directory').choices(['sqlite']).makeOptionMandatory(),
    )
    .option(
      '--to <url>',
      'an empty database, as postgres://user:password@host:port/database (default: URLMETA_DATABASE_URL)',
    )
    .option('--json', 'print {"from", "to", "tables": [{"name", "rows"}], "secret_file", …}')
    .action(async ({ to, json }) => {
      const config = readConfig()
      const moved = await move(config, targetOf(config, to))
      const { secret, tookMs, ...printed } = moved
      if (secret.isOtherInFile) {
        process.stderr.write(
          `urlmeta: URLMETA_SECRET differs from the secret in ${config.dataDir}. If the server has been running without ` +
            'URLMETA_SECRET, set it to the content of that file.\n',
        )
      }
      printResult(json, { ...printed, secret_file: secret.file, duration_ms: tookMs }, reportOf(moved, config))
    })
}

async function move(config: Config, url: string): Promise<Moved> {
  const { moveToPostgres } = await import('../../compose/data/move.ts')
  using bar = workBar()
  const moved = await moveToPostgres(config, url, { signal: interruption(), onProgress: bar.show })
  // For a log; on a terminal, the report is enough.
  if (!process.stderr.isTTY) {
    process.stderr.write(moved.tables.map(({ name, rows }) => `${name}: ${rows} verified\n`).join(''))
  }
  return moved
}

/** @throws AppError. Not an option parser, because its error messages contain the value, which has a password. */
function targetOf({ database }: Config, option: string | undefined): string {
  if (option === undefined) {
    if (database.kind === 'PostgreSQL') return database.url
    throw new AppError(
      'invalid_request',
      'Add --to postgres://user:password@host:port/database, or set URLMETA_DATABASE_URL.',
    )
  }
  const parsed = databaseUrl(option)
  if ('error' in parsed) throw new AppError('invalid_request', `--to: ${parsed.error}`)
  return parsed.value.url
}

function reportOf({ from, to, tables, secret, tookMs }: Moved, { backup, dataDir }: Config): string {
  return [
    `Moved ${from} to ${to}: ${countText(tables)}, in ${secondsText(tookMs)}.`,
    'Set these variables for every server and for commands:',
    `  URLMETA_DATABASE_URL=${to}`,
    secret.file === null ? '  URLMETA_SECRET: unchanged' : `  URLMETA_SECRET="$(cat ${shellQuoted(secret.file)})"`,
    ...(backup === null ? [] : ['Remove URLMETA_BACKUP_DIR: PostgreSQL is backed up with pg_dump.']),
    'Cached results were not moved; pages are fetched again.',
    `${dataDir} is kept but can no longer be used. Delete it when you no longer need it.`,
  ].join('\n')
}

function shellQuoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
}
