import type { CommandUnknownOpts } from '@commander-js/extra-typings'

/** In place of candidates: the shell completes the path of a file or of a directory. */
const PATHS: readonly string[] = ['<file>', '<dir>']

/**
 * What can follow the words after `urlmeta`, of which the last one is incomplete: candidates as `word<Tab>description`, or
 * only `<file>` or `<dir>`.
 */
export function completionsOf(program: CommandUnknownOpts, words: readonly string[]): string[] {
  const typed = words.slice(0, -1)
  const current = words.at(-1) ?? ''
  const path = typed.filter((word) => word !== 'help')
  const command = path.reduce(commandBelow, program)
  // The arguments of `help` are the names of commands.
  const candidates =
    path.length < typed.length
      ? subcommandsOf(command).filter((candidate) => !candidate.startsWith('help\t'))
      : (valuesAfter(command, typed.at(-1)) ?? candidatesOf(command))
  return candidates.filter((candidate) => candidate.startsWith(current) || PATHS.includes(candidate))
}

const childrenOf = (command: CommandUnknownOpts) => command.createHelp().visibleCommands(command)

const commandBelow = (command: CommandUnknownOpts, word: string) =>
  childrenOf(command).find((child) => child.name() === word) ?? command

const subcommandsOf = (command: CommandUnknownOpts) =>
  childrenOf(command).map((child) => `${child.name()}\t${child.description()}`)

/** The values of an option, if `word` is one that has a value. */
function valuesAfter(command: CommandUnknownOpts, word: string | undefined): string[] | null {
  const option = command.options.find(({ short, long }) => word !== undefined && [short, long].includes(word))
  if (!option?.required && !option?.optional) return null
  const { argChoices = [], flags } = option
  return [...argChoices, ...PATHS.filter((placeholder) => flags.includes(placeholder))]
}

function candidatesOf(command: CommandUnknownOpts): string[] {
  const options = command.createHelp().visibleOptions(command)
  return [
    ...subcommandsOf(command),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    ...options.flatMap(({ short, long, description }) =>
      [short, long].filter(Boolean).map((flag) => `${flag}\t${description}`),
    ),
  ]
}

const BASH = `# bash completion for urlmeta. To load it: source <(urlmeta completion bash)
_urlmeta() {
  mapfile -t COMPREPLY < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=("\${COMPREPLY[@]%%$'\\t'*}") # without descriptions
  local kind
  case "\${COMPREPLY[0]}" in
    '<file>') kind=-f ;;
    '<dir>') kind=-d ;;
    *) return ;;
  esac
  # It prints an error when it is called outside of a completion.
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$kind" -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -F _urlmeta urlmeta`

/** To be sourced, or installed in `fpath` as `_urlmeta`. */
const ZSH = `#compdef urlmeta
# zsh completion for urlmeta. To load it: source <(urlmeta completion zsh)
_urlmeta() {
  local -a candidates
  candidates=("\${(@f)$("$words[1]" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case "$candidates[1]" in
    ('<file>') _files ;;
    ('<dir>') _files -/ ;;
    (*) candidates=("\${(@)candidates/$'\\t'/:}") && _describe urlmeta candidates ;;
  esac
}
if [ "$funcstack[1]" = _urlmeta ]; then _urlmeta "$@"; else compdef _urlmeta urlmeta; fi`

const FISH = `# fish completion for urlmeta. To load it: urlmeta completion fish | source
function _urlmeta
  set -l words (commandline -opc) (commandline -ct)
  set -l candidates ($words[1] complete -- $words[2..] 2>/dev/null)
  switch "$candidates[1]"
    case '<file>'
      __fish_complete_path $words[-1]
    case '<dir>'
      __fish_complete_directories $words[-1]
    case '*'
      printf '%s\\n' $candidates
  end
end
complete -c urlmeta -f -a '(_urlmeta)'`

export const COMPLETION_SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const
