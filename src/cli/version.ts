import type { Command } from '@commander-js/extra-typings'

import { COMMIT, VERSION } from '../version.ts'
import { print, printJson } from './output.ts'

export function addVersionCommand(program: Command) {
  const line = `urlmeta ${VERSION} (${COMMIT})`
  program.version(line, '-V, --version', 'print the version')
  program
    .command('version')
    .description('print the version and the commit it was built from')
    .option('--json', 'print {"version", "commit"}')
    .action(({ json }) => (json ? printJson({ version: VERSION, commit: COMMIT }) : print(line)))
}
