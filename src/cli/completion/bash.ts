import { subcommandBranches, valueBranches } from './case-branches.ts'
import type { CompletedCommand, OptionValue } from './tree.ts'

/** A script for bash 4 or later. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  return `# bash completion for urlmeta. To load it: source <(urlmeta completion bash)
_urlmeta() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' word candidates=''
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command/$word" in
${commands.flatMap(subcommandBranches).join('\n')}
    esac
  done
  case "$command/$previous" in
${commands.flatMap((command) => valueBranches(command, valueCommand)).join('\n')}
  esac
  case "$command" in
${commands.map(candidates).join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$current")
}
complete -F _urlmeta urlmeta`
}

function valueCommand(value: OptionValue): string {
  const reply = (words: string) => `mapfile -t COMPREPLY < <(compgen ${words} -- "$current"); `
  // `compopt` prints an error when it is called outside of a completion.
  if (value === 'file') return `compopt -o filenames 2>/dev/null; ${reply('-f')}`
  if (value === 'directory') return `compopt -o filenames 2>/dev/null; ${reply('-d')}`
  return typeof value === 'string' ? '' : reply(`-W '${value.join(' ')}'`)
}

function candidates({ path, subcommands, options, choices }: CompletedCommand): string {
  const words = [...subcommands.map(({ name }) => name), ...choices, ...options.flatMap(({ flags }) => flags)]
  return `    '${path}') candidates='${words.join(' ')}' ;;`
}
