import type { Command } from '@commander-js/extra-typings'
import { Presets, SingleBar } from 'cli-progress'

import { backUp, COPY_COMMAND, copyDatabase, restore } from '../compose/backup.ts'
import { configOf } from './environment.ts'
import type { CommandContext } from './command.ts'
import { bytesText, print, printJson } from './output.ts'

export function addBackupCommands(program: Command, { env }: CommandContext) {
  program
    .command('backup')
    .description('write a checked copy of the database to a file, while the server runs or not')
    .argument('<file>', 'replaced when it is there; the directory must exist')
    .option('--json', 'print {"file", "bytes", "created_at", "duration_ms"}')
    .action(async (file, { json }) => {
      const config = configOf(env)
      const { bytes, atMs, tookMs } = await withProgress((onProgress) =>
        backUp(config, file, { signal: interruption(), onProgress }),
      )
      const created_at = new Date(atMs).toISOString()
      if (json) printJson({ file, bytes, created_at, duration_ms: tookMs })
      else print(`Wrote ${file}: ${bytesText(bytes)}, checked, in ${(tookMs / 1_000).toFixed(1)} s.`)
    })

  program
    .command('restore')
    .description('put a backup in the place of the database, while no server runs')
    .argument('<file>', 'as `urlmeta backup` wrote it')
    .option('--json', 'print {"file", "users", "keys", "kept_as"}')
    .action((file, { json }) => {
      const { users, keys, keptAs } = restore(configOf(env), file, Date.now())
      if (json) {
        printJson({ file, users, keys, kept_as: keptAs })
        return
      }
      print(`Restored ${file}: ${users} users, ${keys} keys.`)
      if (keptAs !== null) print(`The database from before is kept as ${keptAs}: remove it when all is well.`)
      print('Keys that were deactivated and plans that were changed after the backup are as they were before.')
    })

  // For `backup` itself: SQLite copies without a pause, so a process of its own does it.
  program
    .command(COPY_COMMAND, { hidden: true })
    .argument('<source>')
    .argument('<target>')
    .action((source, target) => copyDatabase(source, target))
}

/** Aborts when the command is interrupted, so that it can remove what it has begun. */
function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
  return controller.signal
}

type ShowProgress = (done: number, total: number | null) => void

/** Shows a bar on a terminal, and nothing elsewhere, while the work goes on. */
async function withProgress<T>(work: (show: ShowProgress) => Promise<T>): Promise<T> {
  using bar = progressBar()
  return await work(bar.show)
}

function progressBar() {
  const bar = new SingleBar(
    { stream: process.stderr, noTTYOutput: false, clearOnComplete: true, format: '{bar} {percentage}%' },
    Presets.shades_grey,
  )
  let isShown = false
  return {
    show(done: number, total: number | null) {
      if (!process.stderr.isTTY || total === null) return
      if (isShown) bar.update(Math.min(done, total))
      else bar.start(total, done)
      isShown = true
    },
    [Symbol.dispose]() {
      if (isShown) bar.stop()
      isShown = false
    },
  }
}
