import { subcommandBranches, valueBranches } from './case-branches.ts'
import type { CompletedCommand, OptionValue } from './tree.ts'

/** A script for zsh, to be sourced, or installed in `fpath` as `_urlmeta`. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  return `#compdef urlmeta
# zsh completion for urlmeta. To load it: source <(urlmeta completion zsh)
_urlmeta() {
  local command='' word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$command/$word" in
${commands.flatMap(subcommandBranches).join('\n')}
    esac
  done
  case "$command/$words[CURRENT-1]" in
${commands.flatMap((command) => valueBranches(command, valueCommand)).join('\n')}
  esac
  case "$command" in
${commands.map(candidates).join('\n')}
  esac
  _describe 'urlmeta' candidates
}
if [ "$funcstack[1]" = _urlmeta ]; then _urlmeta "$@"; else compdef _urlmeta urlmeta; fi`
}

function valueCommand(value: OptionValue): string {
  if (value === 'file') return '_files; '
  if (value === 'directory') return '_files -/; '
  return typeof value === 'string' ? '' : `compadd -- ${value.join(' ')}; `
}

function candidates({ path, subcommands, options, choices }: CompletedCommand): string {
  const words = [
    ...subcommands.map(({ name, description }) => described(name, description)),
    ...choices,
    ...options.flatMap(({ flags, description }) => flags.map((flag) => described(flag, description))),
  ]
  return `    ('${path}') candidates=(${words.map(quoted).join(' ')}) ;;`
}

const described = (word: string, description: string) => `${word}:${description}`

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
