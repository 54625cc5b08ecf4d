import type { Command } from '@commander-js/extra-typings'

import { AppError } from '../../core/errors.ts'
import { COMMIT, LICENSES, VERSION } from '../../version.ts'
import { print, printResult } from '../output.ts'

export function addVersionCommand(program: Command) {
  const line = `urlmeta ${VERSION} (${COMMIT})`
  program.version(line, '-v, --version', 'print the version').version(line, '-V')
  // `-V` works as in other programs, but the help only shows `-v`.
  program.options.at(-1)?.hideHelp()
  program
    .command('version')
    .description('print the version and the commit it was built from')
    .option('--json', 'print {"version", "commit"}')
    .addOption(
      program.createOption('--licenses', 'print the licenses of everything in the executable').conflicts('json'),
    )
    .action(({ json, licenses }) => {
      if (licenses) print(licensesText())
      else printResult(json, { version: VERSION, commit: COMMIT }, line)
    })
}

function licensesText(): string {
  if (LICENSES === null)
    throw new AppError('internal', 'Only the built executable contains the licenses: run `bun run build`')
  return LICENSES
}
