import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { version } from '../package.json'
import { EXECUTABLE, openWorkspace } from './executable.ts'
import { describeProgram } from './requirements.ts'
import { PATIENT_TEST_MS } from './patience.ts'

/** Built with the executable. */
const PAGE = `${EXECUTABLE}.1`

/** One command of the program, as its `--help` describes it. */
interface HelpPage {
  path: string
  help: string
}

let page = ''
const helpPages: HelpPage[] = []
let variables: string[] = []

beforeAll(async () => {
  await using place = openWorkspace()
  const print = async (...args: string[]) => (await place.run(args)).stdout
  page = await Bun.file(PAGE).text()
  variables = Object.keys(JSON.parse(await print('config', '--json')) as object)
  /** Every command without subcommands, found in the help. */
  const collect = async (path: string[]): Promise<void> => {
    const help = await print(...path, '--help')
    const names = helpLines(help, 'Commands').map((line) => line.trim().split(/[ |]/)[0]!)
    // Commander adds a `help` to commands with subcommands.
    const below = names.filter((name) => name !== 'help' || path.length === 0)
    if (below.length === 0) helpPages.push({ path: path.join(' '), help })
    for (const name of below) await collect([...path, name])
  }
  await collect([])
}, PATIENT_TEST_MS)

/** The text as displayed, without the layout. */
const text = () => page.replaceAll('\\-', '-').replaceAll('\\(dq', '"')

/** The lines in a section of a command's help that begin with a command or an option. */
function helpLines(help: string, heading: string): string[] {
  const [, part = ''] = help.split(`\n${heading}:\n`)
  return part
    .split('\n\n')[0]!
    .split('\n')
    .filter((line) => /^ {2}\S/.test(line))
}

describe('the manual page', () => {
  test('begins with name and version, and has no date', () => {
    expect(text()).toStartWith(`.TH URLMETA 1 "" "urlmeta ${version}" "User Commands"\n.SH NAME\nurlmeta - `)
  })

  test('has every command with its options', () => {
    expect(helpPages.map(({ path }) => path)).toEqual(expect.arrayContaining(['serve', 'key create', 'export']))
    for (const { path, help } of helpPages) {
      const section = text()
        .split('\n.SS ')
        .find((part) => part.startsWith(`urlmeta ${path} `))
      const flags = helpLines(help, 'Options').map((line) => line.trim().split(/ {2,}/)[0]!)
      const absent = flags.filter((flag) => flag !== '-h, --help' && !section?.includes(`.TP\n.B ${flag}\n`))
      expect([path, section !== undefined, absent]).toEqual([path, true, []])
    }
  })

  test('does not depend on the configuration', async () => {
    await using place = openWorkspace()
    await Bun.write(join(place.dir, '.env'), 'URLMETA_PORT=abc\n')
    const print = `import { manPage } from '${join(import.meta.dir, '../man-page.ts')}'; process.stdout.write(manPage())`
    const child = Bun.spawn([process.execPath, '-e', print], { cwd: place.dir, env: { URLMETA_CASH_TTL: '1h' } })
    expect([await child.exited, await child.stdout.text()]).toEqual([0, page])
  })

  test('has every variable', () => {
    expect(variables.length).toBeGreaterThan(20)
    expect(variables.filter((name) => !text().includes(`\n${name}\n`))).toEqual([])
  })
})

describeProgram('mandoc', (mandoc) => {
  test('finds no problem except the missing date', () => {
    const { stdout, stderr } = Bun.spawnSync([mandoc, '-T', 'lint', '-W', 'warning', PAGE])
    const found = (stdout.toString() + stderr.toString()).trimEnd().split('\n')
    expect(found).toEqual([expect.stringContaining('missing date')])
  })
})

describeProgram('man', (man) => {
  test('displays it without a warning', () => {
    const { stdout, stderr } = Bun.spawnSync([man, '--warnings', '--local-file', PAGE], {
      env: { PATH: process.env['PATH'] ?? '', MANWIDTH: '80', LC_ALL: 'C.UTF-8' },
    })
    expect(stderr.toString()).toBe('')
    expect(stdout.toString()).toContain('URLMETA(1)')
  })
})
