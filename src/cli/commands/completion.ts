import type { Command } from '@commander-js/extra-typings'

import { bashCompletion } from '../completion/bash.ts'
import { fishCompletion } from '../completion/fish.ts'
import { completionTree } from '../completion/tree.ts'
import { zshCompletion } from '../completion/zsh.ts'
import { print } from '../output.ts'

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const

export function addCompletionCommand(program: Command) {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(program.createArgument('<shell>').choices(['bash', 'zsh', 'fish'] as const))
    .addHelpText('after', '\nFor bash, add to ~/.bashrc: source <(urlmeta completion bash)')
    .action((shell) => print(SCRIPTS[shell](completionTree(program))))
}
