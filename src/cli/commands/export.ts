import type { Command } from '@commander-js/extra-typings'

import { bytesText } from '../../core/byte-count.ts'
import { type CommandContext, interruption } from '../command.ts'
import { printResult, secondsText } from '../output.ts'
import { workBar } from '../progress.ts'

/** `urlmeta export` and `urlmeta import`. */
export function addExportCommands(program: Command, { readConfig }: CommandContext) {
  program
    .command('export')
    .description('write all data to a file of JSON lines, while the server runs or not')
    .argument('<file>', 'an existing export or empty file is replaced; other files are not. - is standard output')
    .option('--json', 'print {"file", "bytes", "duration_ms"}; nothing for standard output')
    .action(async (file, { json }) => {
      const { exportTo } = await import('../../compose/data/transfer.ts')
      const startedAtMs = performance.now()
      using bar = workBar()
      const bytes = await exportTo(readConfig(), file, { signal: interruption(), onProgress: bar.show })
      if (bytes === null) return
      const tookMs = Math.round(performance.now() - startedAtMs)
      const text = `Wrote ${file}: ${bytesText(bytes)}, in ${secondsText(tookMs)}.`
      printResult(json, { file, bytes, duration_ms: tookMs }, text)
    })

  program
    .command('import')
    .description('read an export into an empty database, while no server runs')
    .argument('<file>', 'a file written by `urlmeta export` of the same version. - is standard input')
    .option('--json', 'print {"file", "tables": [{"name", "rows"}], "duration_ms"}')
    .action(async (file, { json }) => {
      const { importFrom } = await import('../../compose/data/transfer.ts')
      const startedAtMs = performance.now()
      using bar = workBar()
      const tables = await importFrom(readConfig(), file, { signal: interruption(), onProgress: bar.show })
      const tookMs = Math.round(performance.now() - startedAtMs)
      const lines = [
        `Imported ${file}: ${countText(tables)}, in ${secondsText(tookMs)}.`,
        'The secret is not part of it: copy the file `secret` of the old data directory, or set the same URLMETA_SECRET.',
      ]
      printResult(json, { file, tables, duration_ms: tookMs }, lines.join('\n'))
    })
}

export function countText(tables: readonly { rows: number }[]): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return `${rows} rows in ${tables.length} tables, verified`
}
