import type { Command } from '@commander-js/extra-typings'

import { COMPLETION_SCRIPTS, completionsOf } from '../completion.ts'
import { print } from '../output.ts'

export function addCompletionCommand(program: Command) {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(program.createArgument('<shell>').choices(['bash', 'zsh', 'fish'] as const))
    .addHelpText('after', '\nFor bash, add to ~/.bashrc: source <(urlmeta completion bash)')
    .action((shell) => print(COMPLETION_SCRIPTS[shell].trimEnd()))

  // The scripts run it.
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action((words) => completionsOf(program, words).forEach(print))
}
