import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { dependencies } from '../package.json'
import {
  importCycles,
  forbiddenImports,
  importsOf,
  NETWORK_MODULES,
  packagesOf,
  partsLoadedWith,
  readImports,
  type Architecture,
  type Import,
} from './import-graph.ts'

/** The parts of the code and what each may import, as in CONTRIBUTING.md. */
const ARCHITECTURE: Architecture = {
  core: {
    holds: ['src/core/'],
    modules: [
      'entities',
      'html-encoding-sniffer',
      'probe-image-size',
      'ipaddr.js',
      'oembed-providers',
      'tldts',
      'node:crypto',
    ],
  },
  fetch: {
    holds: ['src/fetch/'],
    imports: ['core'],
    modules: ['chardetng-wasm', 'lru-cache', 'playwright-core', 'socks', 'tough-cookie', 'node:*', ...NETWORK_MODULES],
  },
  identity: { holds: ['src/identity/'], imports: ['core'], modules: ['oauth4webapi'] },
  store: {
    holds: ['src/store/', 'drizzle/'],
    imports: ['core'],
    modules: ['bun:sqlite', 'drizzle-orm', 'lru-cache', 'node:crypto', 'node:fs', 'node:path'],
  },
  service: { holds: ['src/service/'], imports: ['core'] },
  // A second product on the same results. Only its own pages know it, and the composition.
  previews: { holds: ['src/previews/'], imports: ['core'], modules: ['lru-cache'] },
  playground: {
    holds: ['src/http/routes/playground/'],
    imports: ['core', 'service', 'previews', 'http', 'playgroundViews'],
    modules: ['elysia'],
  },
  playgroundViews: {
    holds: ['views/playground/'],
    imports: ['views'],
    importsTypes: ['core', 'previews'],
    modules: ['@kitajs/html'],
  },
  // A macro: it runs when the code is bundled, and its imports are not part of the program.
  documents: { holds: ['documents.ts'] },
  views: {
    holds: ['views/'],
    imports: ['playgroundViews', 'documents'],
    importsTypes: ['core'],
    modules: ['@kitajs/html'],
  },
  http: {
    holds: ['src/http/'],
    imports: ['core', 'mcp', 'service', 'views', 'playground', 'documents'],
    modules: ['elysia', '@kitajs/html', 'lru-cache', 'node:zlib'],
  },
  program: { holds: ['src/version.ts', 'src/own-command.ts', 'package.json'], modules: ['node:path'] },
  config: {
    holds: ['src/config.ts', 'src/config/'],
    imports: ['core', 'identity', 'program'],
    modules: ['fastest-levenshtein', 'node:fs', 'node:os', 'node:path', 'node:net'],
  },
  log: { holds: ['src/log.ts', 'src/log/'], importsTypes: ['config'], modules: ['pino', 'pino-pretty', 'node:tty'] },
  metrics: { holds: ['src/metrics.ts', 'src/metrics/'], imports: ['core'], modules: ['prom-client'] },
  // Agents use it on standard input and output, and over HTTP.
  mcp: {
    holds: ['src/mcp/'],
    imports: ['core', 'program'],
    modules: ['node:stream'],
  },
  compose: {
    holds: ['src/compose.ts', 'src/compose/'],
    imports: [
      'core',
      'fetch',
      'identity',
      'store',
      'service',
      'previews',
      'http',
      'playground',
      'config',
      'log',
      'metrics',
      'program',
    ],
    modules: ['node:*'],
  },
  cli: {
    holds: ['src/cli/'],
    imports: ['core', 'compose', 'config', 'log', 'mcp', 'program'],
    importsTypes: ['service', 'previews'],
    // `serve` resolves the name that it listens on.
    modules: ['@commander-js/extra-typings', 'cli-progress', 'node:*', 'node:dns/promises'],
  },
  main: { holds: ['src/main.ts'], imports: ['cli'] },
}

/**
 * The directories of each part, lowest first, and those that each may import: no two import each other. `.` are the files
 * outside of them.
 */
const DIRECTORIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'src/core': {
    '.': '',
    net: '.',
    accounts: '. net',
    usage: '.',
    sites: '. net',
    settings: '. net sites',
    'extract/reading': '.',
    'extract/json-ld': '. extract/reading',
    'extract/sources': '. extract/reading extract/json-ld',
    'extract/date': '. extract/reading extract/sources',
    'extract/author': '. extract/reading extract/sources extract/date',
    'extract/fields': '. extract/reading extract/sources extract/date extract/author',
    'extract/page':
      '. net sites extract/reading extract/json-ld extract/sources extract/date extract/author extract/fields',
    'extract/files': '. extract/reading extract/sources extract/fields',
    walls: '. net sites extract/reading extract/sources extract/fields extract/page',
    extract: '. extract/reading extract/json-ld extract/sources extract/fields extract/page extract/files walls',
    oembed: '. net extract/reading extract/json-ld extract/sources extract/fields extract',
    fetch: '. net extract/reading extract/fields extract/page walls extract oembed',
    formats: '. extract/fields fetch',
    'saved-results': '',
  },
  'src/fetch': {
    response: '',
    connection: 'response',
    chromium: 'response connection',
    '.': 'response connection',
    pool: 'response connection .',
  },
  'src/service': {
    '.': '',
    operation: '.',
    usage: '. operation',
    accounts: '. usage',
    lookup: '. operation usage',
  },
  'src/previews': {
    tags: '',
    platforms: 'tags',
    rules: 'tags platforms',
    checks: 'tags platforms rules',
    stores: '',
    service: 'tags platforms rules checks stores',
  },
  'src/http': {
    server: '',
    api: 'server',
    session: 'server',
    pages: 'session',
    errors: 'server api session',
    routes: 'server api session pages errors',
    '.': 'server api session errors routes',
  },
}

describe('imports', async () => {
  const imports = await readImports(join(import.meta.dir, '..'), ['src', 'views'])

  test('are found', () => expect(imports.length).toBeGreaterThan(100))

  test('follow the table', () => expect(forbiddenImports(imports, ARCHITECTURE)).toEqual([]))

  describe.each(Object.entries(DIRECTORIES))('in %s', (part, table) => {
    const names = Object.keys(table)
    const allowed = (name: string) => table[name]!.split(' ').filter(Boolean)

    test('follow the table of directories', () => {
      const parts = names.map((name) => [name, { holds: [join(part, name, '/')], imports: allowed(name) }])
      const isInside = ({ from, to }: Import) => from.startsWith(`${part}/`) && to.startsWith(`${part}/`)
      expect(forbiddenImports(imports.filter(isInside), Object.fromEntries(parts))).toEqual([])
    })

    test('lead from a directory only to those before it in the table', () => {
      const upward = names.filter((name, i) => allowed(name).some((other) => !names.slice(0, i).includes(other)))
      expect(upward).toEqual([])
    })
  })

  test('are not circular', () => expect(importCycles(imports)).toEqual([]))

  test('keeps usage separate: no other store uses its tables, and it uses no other tables', () => {
    const isUsage = (path: string) => /^src\/store\/(sql|sqlite|postgres)\/usage/.test(path)
    const importers = imports.filter(({ to }) => /\/usage-(tables|schema)\.ts$/.test(to)).map(({ from }) => from)
    expect(importers.length).toBeGreaterThan(0)
    // The probes read every table, and an export copies them.
    const readers = ['src/store/postgres/probe.ts', 'src/store/sqlite/probe.ts', 'src/store/transfer/tables.ts']
    expect([...new Set(importers.filter((from) => !isUsage(from)))].toSorted()).toEqual(readers)
    // The stores of `sql/` only know the tables of their type, so that not even the type of the others is imported.
    const isOfAccounts = (to: string) => to === 'src/store/sql/tables.ts'
    const others = imports.filter(
      ({ from, to, typeOnly }) => isUsage(from) && to.startsWith('src/store/') && (!typeOnly || isOfAccounts(to)),
    )
    const knowsNoTable = (to: string) => isUsage(to) || /\/(columns|dialect|in-steps|pool|store-error)\.ts$/.test(to)
    expect(others.map(({ to }) => to).filter((to) => !knowsNoTable(to))).toEqual([])
  })

  test('load the server and its stores only when a command uses them', () =>
    expect([...partsLoadedWith('src/main.ts', imports, ARCHITECTURE)].toSorted()).toEqual([
      'cli',
      'config',
      'core',
      'identity',
      'main',
      'mcp',
      'program',
    ]))

  test('use every declared dependency and no other', () => {
    const used = packagesOf(imports, ARCHITECTURE)
    // The library itself; extra-typings only has its types.
    used.add('commander')
    expect([...used].toSorted()).toEqual(Object.keys(dependencies).toSorted())
  })
})

describe('every form of import is found', () => {
  test.each<[name: string, source: string, expected: [to: string, typeOnly: boolean][]]>([
    ['value', `import { a } from '../b.ts'`, [['src/b.ts', false]]],
    ['value and type', `import { a, type B } from './b.ts'`, [['src/core/b.ts', false]]],
    ['type', `import type { B } from './b.ts'`, [['src/core/b.ts', true]]],
    ['side effect', `import './b.ts'`, [['src/core/b.ts', false]]],
    ['with attributes', `import css from '../../views/b.css' with { type: 'text' }`, [['views/b.css', false]]],
    ['export from', `export { a } from './b.ts'`, [['src/core/b.ts', false]]],
    ['export all', `export * from './b.ts'`, [['src/core/b.ts', false]]],
    ['export type', `export type { B } from './b.ts'`, [['src/core/b.ts', true]]],
    ['import()', `const load = () => import('./b.ts')`, [['src/core/b.ts', false]]],
    ['import() of a template', 'await import(`./b.ts`)', [['src/core/b.ts', false]]],
    ['require', `require('fs')`, [['fs', false]]],
    ['require.resolve', `require.resolve('fs')`, [['fs', false]]],
    ['import equals', `import b = require('./b.ts')`, [['src/core/b.ts', false]]],
    ['type import()', `let b: import('./b.ts').B`, [['src/core/b.ts', true]]],
    ['typeof import()', `let b: typeof import('./b.ts')`, [['src/core/b.ts', true]]],
    ['computed', `import('./' + name)`, [['(computed)', false]]],
    ['after JSX text that looks like code', `const p = <p>it's {x} "</p>; import('elysia')`, [['elysia', false]]],
    ['words in text and comments', `// import './b.ts'\nconst s = "import './c.ts'"`, []],
  ])('%s', (_, source, expected) => {
    const found = importsOf('src/core/a.tsx', source)
    expect(found.map(({ to, typeOnly }): [string, boolean] => [to, typeOnly])).toEqual(expected)
  })
})

const edge = (from: string, to: string, typeOnly = false): Import => ({ from, to, typeOnly, dynamic: false })

test('a forbidden import of a type and a circular import of types are found in source text', () => {
  const imports = [
    ...importsOf('src/core/a.ts', `import type { B } from './b.ts'`),
    ...importsOf('src/core/b.ts', `let a: import('./a.ts').A\nexport type { Fetcher } from '../fetch/fetcher.ts'`),
  ]
  expect(importCycles(imports)).toEqual(['src/core/a.ts → src/core/b.ts → src/core/a.ts'])
  expect(forbiddenImports(imports, ARCHITECTURE)).toEqual([
    'src/core/b.ts → src/fetch/fetcher.ts (core may not import it)',
  ])
})

test('a file loads the values that it imports statically, directly or indirectly', () => {
  const imports = [
    ...importsOf('src/main.ts', `import { run } from './cli/run.ts'`),
    ...importsOf(
      'src/cli/run.ts',
      `import '../config.ts'; import type { App } from '../compose.ts'; import('../log.ts')`,
    ),
  ]
  expect([...partsLoadedWith('src/main.ts', imports, ARCHITECTURE)]).toEqual(['main', 'cli', 'config'])
})

describe('forbidden imports are found', () => {
  test.each<[name: string, edge: Import, isAllowed: boolean]>([
    ['core to core', edge('src/core/a.ts', 'src/core/extract/b.ts'), true],
    ['core to fetch', edge('src/core/a.ts', 'src/fetch/b.ts'), false],
    ['core to fetch, types only', edge('src/core/a.ts', 'src/fetch/b.ts', true), false],
    ['core to the config', edge('src/core/a.ts', 'src/config.ts', true), false],
    ['core to a pure library', edge('src/core/a.ts', 'entities/decode'), true],
    ['core to a library of another name', edge('src/core/a.ts', 'entities2'), false],
    ['core to the file system', edge('src/core/a.ts', 'node:fs'), false],
    ['core to a computed name', edge('src/core/a.ts', '(computed)'), false],
    ['store to drizzle', edge('src/store/sqlite/a.ts', 'drizzle-orm/bun-sqlite'), true],
    ['service to drizzle', edge('src/service/a.ts', 'drizzle-orm', true), false],
    ['service to a store', edge('src/service/a.ts', 'src/store/memory/b.ts'), false],
    ['a provider to core', edge('src/identity/github.ts', 'src/core/accounts/email.ts'), true],
    ['a provider to the guarded fetch', edge('src/identity/github.ts', 'src/fetch/fetcher.ts'), false],
    ['service to a provider', edge('src/service/a.ts', 'src/identity/github.ts', true), false],
    ['config to the providers', edge('src/config/a.ts', 'src/identity/providers.ts'), true],
    ['service to the log', edge('src/service/a.ts', 'src/log.ts', true), false],
    ['previews to core', edge('src/previews/rules/a.ts', 'src/core/fetch/b.ts'), true],
    ['previews to a service', edge('src/previews/service/a.ts', 'src/service/lookup/b.ts', true), false],
    ['core to previews', edge('src/core/fetch/a.ts', 'src/previews/tags/b.ts', true), false],
    ['a store to previews', edge('src/store/redis/a.ts', 'src/previews/service/b.ts', true), false],
    ['a page of the playground to previews', edge('src/http/routes/playground/a.ts', 'src/previews/rules/b.ts'), true],
    ['another page to previews', edge('src/http/routes/a.ts', 'src/previews/rules/b.ts', true), false],
    ['a view of the playground to types of previews', edge('views/playground/a.tsx', 'src/previews/b.ts', true), true],
    ['another view to types of previews', edge('views/a.tsx', 'src/previews/b.ts', true), false],
    ['service to core', edge('src/service/a.ts', 'src/core/b.ts'), true],
    ['http to elysia', edge('src/http/routes/a.ts', 'elysia'), true],
    ['service to elysia', edge('src/service/a.ts', 'elysia', true), false],
    ['http to a view', edge('src/http/routes/a.ts', 'views/b.tsx'), true],
    ['http to the network', edge('src/http/a.ts', 'node:http'), false],
    ['view to the types of core', edge('views/a.tsx', 'src/core/b.ts', true), true],
    ['view to the values of core', edge('views/a.tsx', 'src/core/b.ts'), false],
    ['fetch to the network', edge('src/fetch/a.ts', 'node:dns/promises'), true],
    ['cli to the network', edge('src/cli/a.ts', 'node:http'), false],
    ['cli to other built-ins', edge('src/cli/a.ts', 'node:fs/promises'), true],
    ['cli to a store', edge('src/cli/a.ts', 'src/store/sqlite/open.ts'), false],
    ['compose to a store', edge('src/compose.ts', 'src/store/sqlite/open.ts'), true],
    ['compose to the cli', edge('src/compose.ts', 'src/cli/commands/serve.ts'), false],
    ['config to core', edge('src/config/parse.ts', 'src/core/accounts/email.ts'), true],
    ['log to the types of config', edge('src/log.ts', 'src/config.ts', true), true],
    ['log to the values of config', edge('src/log.ts', 'src/config.ts'), false],
    ['anything to the tests', edge('src/core/a.ts', 'test/import-graph.ts'), false],
  ])('%s', (_, import_, isAllowed) => {
    const { from, to } = import_
    const expected = isAllowed ? [] : [expect.stringContaining(`${from} → ${to} (`)]
    expect(forbiddenImports([import_], ARCHITECTURE)).toEqual(expected)
  })

  test('a file outside of all parts', () => {
    expect(forbiddenImports([edge('src/utils.ts', 'node:fs')], ARCHITECTURE)).toEqual([
      'src/utils.ts belongs to no part',
    ])
  })
})

describe('circular imports are found', () => {
  test.each<[name: string, edges: Import[], expected: string[]]>([
    ['none in a line', [edge('a', 'b'), edge('b', 'c')], []],
    ['none in a diamond', [edge('a', 'b'), edge('a', 'c'), edge('b', 'd'), edge('c', 'd')], []],
    ['of one', [edge('a', 'a')], ['a → a']],
    ['of two', [edge('a', 'b'), edge('b', 'a')], ['a → b → a']],
    ['after a line', [edge('a', 'b'), edge('b', 'c'), edge('c', 'd'), edge('d', 'b')], ['b → c → d → b']],
    ['two cycles', [edge('a', 'b'), edge('b', 'a'), edge('c', 'd'), edge('d', 'c')], ['a → b → a', 'c → d → c']],
    ['closed by a type', [edge('a', 'b'), edge('b', 'a', true)], ['a → b → a']],
    ['of types only', [edge('a', 'b', true), edge('b', 'a', true)], ['a → b → a']],
  ])('%s', (_, edges, expected) => expect(importCycles(edges)).toEqual(expected))
})
