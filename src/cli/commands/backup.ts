import { resolve } from 'node:path'

import type { Command } from '@commander-js/extra-typings'

import { HIDDEN_COMMANDS } from '../../own-command.ts'
import { bytesText } from '../../core/byte-count.ts'
import { AppError, messageOf } from '../../core/errors.ts'
import { type CommandContext, interruption } from '../command.ts'
import { printResult, secondsText } from '../output.ts'
import { workBar } from '../progress.ts'

export function addBackupCommands(program: Command, { readConfig }: CommandContext) {
  program
    .command('backup')
    .description('write a checked copy of the database to a file, while the server runs or not')
    .argument('<file>', 'an existing database or empty file is replaced; other files are not')
    .option('--json', 'print {"file", "bytes", "created_at", "duration_ms"}')
    .action(async (file, { json }) => {
      const { backUp } = await import('../../compose/data/backup.ts')
      const config = readConfig()
      const bar = workBar()
      const options = { signal: interruption(), onProgress: bar.show }
      const { bytes, atMs, tookMs } = await backUp(config, file, options).finally(bar[Symbol.dispose])
      const text = `Wrote ${file}: ${bytesText(bytes)}, checked, in ${secondsText(tookMs)}.`
      printResult(json, { file, bytes, created_at: new Date(atMs).toISOString(), duration_ms: tookMs }, text)
    })

  program
    .command('restore')
    .description('replace the database with a backup, while no server runs')
    .argument('<file>', 'a file written by `urlmeta backup`')
    .option('--json', 'print {"file", "users", "keys", "kept_as"}')
    .action(async (file, { json }) => {
      const { restore } = await import('../../compose/data/backup.ts')
      const config = readConfig()
      const { users, keys, keptAs } = restore(config, file, Date.now())
      const lines = [
        `Restored ${file} to ${resolve(config.dataDir)}: ${users} users, ${keys} keys.`,
        ...(keptAs === null
          ? []
          : [`The previous database is kept as ${keptAs}; delete it when you no longer need it.`]),
        'Changes after the backup are undone: keys that were deactivated, sessions that were ended, users who were suspended,',
        'identities that were disconnected and accounts that were deleted since then are active again. End them again.',
        'Sign-in links, invitations and links of shared results in the backup no longer work.',
      ]
      printResult(json, { file, users, keys, kept_as: keptAs }, lines.join('\n'))
    })

  // `backup` runs this in another process: SQLite blocks the process while it copies, and syncing waits for the disk.
  program
    .command(HIDDEN_COMMANDS.copyDatabase, { hidden: true })
    .argument('<source>')
    .argument('<draft>')
    .argument('<target>')
    .action(async (source, draft, target) => {
      const { copyDatabase } = await import('../../compose/data/backup.ts')
      try {
        copyDatabase(source, draft, target)
      } catch (cause) {
        // The remedy of a StoreError is left out, because it concerns the disk of the database, not the disk of the
        // copy.
        throw new AppError('internal', messageOf(cause), { cause })
      }
    })
}
