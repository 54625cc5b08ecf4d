import type { CompletedCommand, CompletedOption, OptionValue } from './tree.ts'

export function fishCompletion(commands: readonly CompletedCommand[]): string {
  return `# fish completion for urlmeta. To load it: urlmeta completion fish | source
complete -c urlmeta -f
${commands.flatMap(commandLines).join('\n')}`
}

function commandLines(command: CompletedCommand): string[] {
  const when = `complete -c urlmeta -n ${quoted(condition(command))}`
  return [
    ...command.subcommands.map(({ name, description }) => `${when} -a ${quoted(name)} -d ${quoted(description)}`),
    ...(command.choices.length > 0 ? [`${when} -a ${quoted(command.choices.join(' '))}`] : []),
    ...command.options.map((option) => `${when} ${optionArguments(option)}`),
  ]
}

/**
 * A fish condition that is true when the command is typed completely and no subcommand follows. `help` is excluded,
 * because it is completed separately.
 */
function condition({ path, subcommands }: CompletedCommand): string {
  const typed = path.split(' ').flatMap((word) => (word ? [`__fish_seen_subcommand_from ${word}`] : []))
  const others = new Set([...subcommands.map(({ name }) => name), ...(/\bhelp\b/.test(path) ? [] : ['help'])])
  const none = others.size > 0 ? [`not __fish_seen_subcommand_from ${[...others].join(' ')}`] : []
  return [...typed, ...none].join('; and ')
}

function optionArguments({ flags, description, value }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
  return [...names, valueArguments(value), `-d ${quoted(description)}`].filter(Boolean).join(' ')
}

function valueArguments(value: OptionValue): string {
  if (value === 'none') return ''
  if (value === 'text') return '-x'
  if (value === 'file') return '-r -F'
  return value === 'directory' ? `-x -a '(__fish_complete_directories)'` : `-x -a ${quoted(value.join(' '))}`
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
