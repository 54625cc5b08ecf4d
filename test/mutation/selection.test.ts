import { describe, expect, test } from 'bun:test'

import { importsOf } from '../import-graph.ts'
import { mayRun, parseCoverage } from './coverage.ts'
import { importersOf, nearestTests } from './nearest-tests.ts'

describe('the tests for a mutant', () => {
  const files: Record<string, string> = {
    'src/core/net/url.ts': '',
    'src/core/net/redirect.ts': `import './url.ts'`,
    'src/http/server.ts': `import('../core/net/redirect.ts')`,
    'src/http/types.ts': `import type { A } from '../core/net/url.ts'`,
    'test/site.ts': `import '../src/core/net/url.ts'`,
    'test/core/net/url.test.ts': `import '../../../src/core/net/url.ts'`,
    'test/core/net/slow.test.ts': `import '../../../src/core/net/url.ts'`,
    'test/core/net/redirect.test.ts': `import '../../../src/core/net/redirect.ts'`,
    'test/site.test.ts': `import './site.ts'`,
    'test/http/server.test.ts': `import '../../src/http/server.ts'`,
    'test/http/types.test.ts': `import '../../src/http/types.ts'`,
    'test/other.test.ts': '',
    'src/main.ts': `import './core/net/url.ts'`,
    'test/executable.ts': '',
    'test/binary.test.ts': `import './executable.ts'`,
    'src/worker.ts': `import './core/net/url.ts'`,
    'src/pool.ts': `new Worker(new URL(isBuilt ? './src/worker.ts' : './worker.ts', import.meta.url))`,
    'test/pool.test.ts': `import '../src/pool.ts'`,
  }
  const imports = Object.entries(files).flatMap(([path, source]) => importsOf(path, source))
  const importers = importersOf(imports, new Map(Object.entries(files)))
  const times = { 'test/core/net/url.test.ts': 10, 'test/core/net/slow.test.ts': 20, 'test/site.test.ts': 1 }

  test('import its file, without types; the closest are first, then those of the same directory, then the fastest; last are those that start a thread, and the executable', () => {
    const found = nearestTests('src/core/net/url.ts', importers, times)
    expect(found.map(({ path, distance }) => [path, distance])).toEqual([
      ['test/core/net/url.test.ts', 1],
      ['test/core/net/slow.test.ts', 1],
      ['test/core/net/redirect.test.ts', 2],
      ['test/site.test.ts', 2],
      ['test/http/server.test.ts', 3],
      ['test/pool.test.ts', 3],
      ['test/binary.test.ts', 3],
    ])
    expect(found[0]!.ms).toBe(10)
    expect(found.map(({ by }) => by)).toEqual([...Array(5).fill('import'), 'thread', 'program'])
  })

  test('come first if they have the name of the file', () => {
    const found = nearestTests('src/core/net/redirect.ts', importers, times)
    expect(found.map(({ path }) => path).slice(0, 2)).toEqual([
      'test/core/net/redirect.test.ts',
      'test/http/server.test.ts',
    ])
    const url = nearestTests('src/core/net/url.ts', importers, { 'test/core/net/slow.test.ts': 1 })
    expect(url[0]!.path).toBe('test/core/net/url.test.ts')
  })

  const coverage = parseCoverage(
    'SF:src/a.ts\nFNF:1\nDA:1,1\nDA:2,0\nDA:4,12\nend_of_record\nTN:\nSF:src/b.ts\nDA:1,0\nend_of_record\n',
  )
  test.each<[name: string, path: string, from: number, to: number, expected: boolean]>([
    ['ran', 'src/a.ts', 1, 1, true],
    ['ran more than once', 'src/a.ts', 4, 4, true],
    ['did not run', 'src/a.ts', 2, 2, false],
    ['did not run, in another file', 'src/b.ts', 1, 1, false],
    ['ran in part', 'src/a.ts', 2, 4, true],
    ['has no count', 'src/a.ts', 3, 3, true],
  ])('may notice a change of code that %s', (_, path, from, to, expected) =>
    expect(mayRun(coverage.get(path)!, from, to)).toBe(expected),
  )
})
