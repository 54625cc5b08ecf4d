import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { KEY_SETTING_NAMES, KEY_SETTINGS } from '../../src/core/accounts/key-settings.ts'
import { EXECUTABLE, openWorkspace } from '../executable.ts'

/** Prints the words that bash offers for the last of `words`. */
const COMPLETE = `
source <("$EXECUTABLE" completion bash)
COMP_WORDS=("$EXECUTABLE" "\${@:2}"); COMP_CWORD=$(($# - 1))
_urlmeta
printf '%s\\n' "\${COMPREPLY[@]}" | sort
complete -p urlmeta`

const TOP_LEVEL = [
  'backup',
  'cache',
  'check',
  'completion',
  'config',
  'doctor',
  'export',
  'fetch',
  'help',
  'import',
  'key',
  'logs',
  'mcp',
  'move',
  'openapi',
  'restore',
  'serve',
  'user',
  'version',
]

/** The subcommands of a command, with its name; only the name if there are none. */
async function commandsUnder(name: string): Promise<string[]> {
  await using place = openWorkspace()
  const { stdout } = await place.run(['help', name])
  const [, list = ''] = stdout.split('\nCommands:\n')
  const below = [...list.matchAll(/^  ([a-z][a-z-]*)/gm)].map(([, command]) => `${name} ${command}`)
  return below.length === 0 ? [name] : below.filter((command) => command !== `${name} help`)
}

const KEY_OPTIONS = KEY_SETTING_NAMES.map((name) => `--${KEY_SETTINGS[name].field}`)

describe('bash', () => {
  test.each<[typed: string, expected: string[]]>([
    ['', [...TOP_LEVEL, '--help', '--version', '-h', '-v']],
    ['fe', ['fetch']],
    ['key ', ['create', 'deactivate', 'help', 'list', 'rotate', 'update', '--help', '-h']],
    ['key create --', [...KEY_OPTIONS, '--email', '--help', '--json', '--plan']],
    ['key rotate id --overlap ', ['0', '1h', '24h', '7d']],
    ['key create --plan ', ['business', 'free', 'growth', 'starter']],
    ['key create --plan free --n', ['--name']],
    ['key create --name list --p', ['--plan']],
    ['key create --email ', []],
    ['user set-plan a@b.example g', ['growth']],
    ['move --from ', ['sqlite']],
    ['serve --data-dir d', ['data']],
    ['serve --p', ['--port']],
    ['fetch --file u', ['urls with spaces.txt']],
    ['completion ', ['bash', 'fish', 'zsh', '--help', '-h']],
    ['help ', TOP_LEVEL.filter((name) => name !== 'help')],
    ['help ke', ['key']],
    ['help key ', ['create', 'deactivate', 'list', 'rotate', 'update']],
    ['help key create ', []],
    ['help fetch ', []],
    ['key help ', ['create', 'deactivate', 'list', 'rotate', 'update']],
    ['nonsense --j', []],
  ])('urlmeta %s', async (typed, expected) => {
    await using place = openWorkspace()
    await Bun.write(join(place.dir, 'urls with spaces.txt'), '')
    await Bun.write(join(place.dir, 'data/file'), '')
    await Bun.write(join(place.dir, 'complete.bash'), COMPLETE)
    const words = typed.split(' ').map((word) => `'${word}'`)
    const line = `bash complete.bash urlmeta ${words.join(' ')}`
    const { code, stdout, stderr } = await place.shell(line, { EXECUTABLE })
    expect([code, stderr]).toEqual([0, ''])
    const offered = stdout.trimEnd().split('\n')
    expect(offered.pop()).toBe('complete -F _urlmeta urlmeta')
    expect(offered.filter((word) => word !== '').toSorted()).toEqual(expected.toSorted())
  })
})

test('docs/cli.md has every command', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../docs/cli.md')).text()
  const rows = page.match(/(?<=^\| ).*?(?= +\| )/gm)!.join(' ')
  const commands = new Set([...rows.matchAll(/`urlmeta ([a-z]+)/g)].map(([, name]) => name))
  expect([...commands].toSorted()).toEqual(TOP_LEVEL)
  const all = (await Promise.all(TOP_LEVEL.map(commandsUnder))).flat()
  expect(all).toContain('user set-plan')
  expect(all.filter((command) => !new RegExp(`\`urlmeta ${command}[ \`]`).test(rows))).toEqual([])
})

describe.each([
  ['bash', ['bash', '-n']],
  ['zsh', ['zsh', '-n']],
  ['fish', ['fish', '--no-execute']],
])('%s', (shell, [program, ...options]) => {
  test.skipIf(Bun.which(program!) === null)('accepts the script', async () => {
    await using place = openWorkspace()
    const { stdout } = await place.run(['completion', shell])
    await Bun.write(join(place.dir, 'script'), stdout)
    expect(await place.shell([program, ...options, 'script'].join(' '))).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})

test('hidden commands are not offered', async () => {
  await using place = openWorkspace()
  const { stdout } = await place.run(['complete', '--', 'c'])
  expect(stdout.match(/^[^\t]+/gm)).toEqual(['check', 'cache', 'config', 'completion'])
})

/** Completes `urlmeta fetch --l`, `fetch --file u` and `key create --plan g` as these shells do. */
test.skipIf(Bun.which('fish') === null)('fish completes options, files and values', async () => {
  await using place = openWorkspace()
  await Bun.write(join(place.dir, 'urls.txt'), '')
  const lines = ['fetch --l', 'fetch --file u', 'key create --plan g'].map(
    (line) => `complete -C '${EXECUTABLE} ${line}'`,
  )
  await Bun.write(join(place.dir, 'script'), [`${EXECUTABLE} completion fish | source`, ...lines].join('\n'))
  const { code, stdout, stderr } = await place.shell('fish script')
  const words = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t', 1)[0])
  expect({ code, words, stderr }).toEqual({ code: 0, words: ['--language', 'urls.txt', 'growth'], stderr: '' })
})

test('another shell', async () => {
  await using place = openWorkspace()
  expect(await place.run(['completion', 'tcsh'])).toEqual({
    code: 2,
    stdout: '',
    stderr:
      "urlmeta: command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish.\n",
  })
})
