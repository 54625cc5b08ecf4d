import type { CompletedCommand, OptionValue } from './tree.ts'

/** A script for bash 4 or later. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  return `# bash completion for urlmeta. To load it: source <(urlmeta completion bash)
_urlmeta() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' word candidates=''
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command/$word" in
${commands.flatMap(steps).join('\n')}
    esac
  done
  case "$command/$previous" in
${commands.flatMap(values).join('\n')}
  esac
  case "$command" in
${commands.map(candidates).join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$current")
}
complete -F _urlmeta urlmeta`
}

/** `case` branches from a command to its subcommands. */
function steps({ path, subcommands }: CompletedCommand): string[] {
  return subcommands.map(({ name }) => `      '${path}/${name}') command='${`${path} ${name}`.trim()}' ;;`)
}

/** `case` branches that complete the value of an option. */
function values({ path, options }: CompletedCommand): string[] {
  return options
    .filter(({ value }) => value !== 'none')
    .map(({ flags, value }) => {
      const patterns = flags.map((flag) => `'${path}/${flag}'`).join('|')
      return `    ${patterns}) ${valueCommand(value)}return ;;`
    })
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
