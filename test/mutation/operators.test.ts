import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import equivalent from './equivalent.json'
import { applied, changedLines, mutantsOf, type Mutant, type Operator } from './operators.ts'
import { sampled } from './sample.ts'

const ROOT = join(import.meta.dir, '../..')
const read = (path: string) => Bun.file(join(ROOT, path)).text()

describe('mutants', () => {
  test.each<[source: string, expected: [Operator, mutated: string][]]>([
    [
      'if (a) b()',
      [
        ['negated condition', 'if (!(a)) b()'],
        ['dropped statement', 'if (a) ;'],
      ],
    ],
    ['while (a);', [['negated condition', 'while (!(a));']]],
    ['do {} while (a)', [['negated condition', 'do {} while (!(a))']]],
    ['for (; a; );', [['negated condition', 'for (; !(a); );']]],
    ['for (;;);', []],
    ['let a = b ? c : d', [['negated condition', 'let a = !(b) ? c : d']]],
    ['let a = !b', [['negated condition', 'let a = b']]],
    ['let a = !b ? c : d', [['negated condition', 'let a = !(!b) ? c : d']]],
    ['let a = b === c', [['negated condition', 'let a = b !== c']]],
    ['let a = b !== c', [['negated condition', 'let a = b === c']]],
    ['let a = b === c ? d : e', [['negated condition', 'let a = !(b === c) ? d : e']]],
    ['let a = b < c', [['shifted bound', 'let a = b <= c']]],
    ['let a = b <= c', [['shifted bound', 'let a = b < c']]],
    ['let a = b > c', [['shifted bound', 'let a = b >= c']]],
    ['let a = b >= c', [['shifted bound', 'let a = b > c']]],
    ['let a = b && c', [['replaced operator', 'let a = b || c']]],
    ['let a = b || c', [['replaced operator', 'let a = b && c']]],
    ['let a = b ?? c', [['replaced operator', 'let a = b']]],
    ['let a = b + c', [['replaced operator', 'let a = b - c']]],
    ['let a = b - c', [['replaced operator', 'let a = b + c']]],
    ['let a = b * c', [['replaced operator', 'let a = b / c']]],
    ['let a = b / c', [['replaced operator', 'let a = b * c']]],
    ['let a = b % c', [['replaced operator', 'let a = b * c']]],
    ['let a = `${b}` + c', []],
    ['let a = 0', [['changed constant', 'let a = 1']]],
    ['let a = 999', [['changed constant', 'let a = 1000']]],
    ['let a = 1_000', [['changed constant', 'let a = 0']]],
    ['let a = true', [['changed constant', 'let a = false']]],
    ['let a = false', [['changed constant', 'let a = true']]],
    ["let a = 'b'", [['changed constant', "let a = ''"]]],
    ["let a = ''", [['changed constant', "let a = 'mutant'"]]],
    ['let a = `b`', [['changed constant', 'let a = ``']]],
    ['let a = sql``', [['changed constant', 'let a = sql`mutant`']]],
    ['let a = /b/gu', [['changed constant', 'let a = /(?!)/gu']]],
    ["let a = { 'b': c, 1: d }", []],
    [
      "a['b'] = c",
      [
        ['dropped statement', ';'],
        ['changed constant', "a[''] = c"],
      ],
    ],
    ['throw a', [['dropped statement', ';']]],
    ['for (;;) break', [['dropped statement', 'for (;;) ;']]],
    ['for (;;) continue', [['dropped statement', 'for (;;) ;']]],
    [
      'function a() { return b }',
      [
        ['early return', 'function a() { return; return b }'],
        ['dropped statement', 'function a() { ; }'],
      ],
    ],
    ['function a() {}', []],
    ['let a = () => b', [['early return', 'let a = () => undefined']]],
    ['let a = () => ({ b })', [['early return', 'let a = () => undefined']]],
    [
      'class A extends B { constructor() { super() } }',
      [['early return', 'class A extends B { constructor() { return; super() } }']],
    ],
    ['let a = await b', [['dropped await', 'let a = b']]],
    ['try {} catch {}', [['dropped catch', 'try {} finally {}']]],
    [
      'try {} catch {} finally { let a }',
      [
        ['dropped catch', 'try {}  finally { let a }'],
        ['dropped finally', 'try {} catch {} finally {}'],
      ],
    ],
    ['let a = b.catch(c)', [['dropped catch', 'let a = b']]],
    ['let a = b.finally(c)', [['dropped finally', 'let a = b']]],
    ['using a = b', [['dropped finally', 'const a = b']]],
    ['await using a = b', [['dropped finally', 'const a = b']]],
    ["import a from 'b'", []],
    ["export * from 'b'", []],
    ["type A = 'b' | 1", []],
    ["interface A { b: 'c' }", []],
    ["let a: 'b'", []],
    ["let a = import('b')", []],
    ['enum A { b = 1 }', [['changed constant', 'enum A { b = 2 }']]],
  ])('%s', (source, expected) => {
    const found = mutantsOf('a.ts', source).map((mutant) => [mutant.operator, applied(source, mutant)])
    expect(found.toSorted()).toEqual(expected.toSorted())
  })

  test('have their changed lines', () => {
    const source = 'let a\ntry {\n  a = 1\n} finally {\n  b()\n}\n'
    const changes = mutantsOf('a.ts', source).map((mutant) => changedLines(source, mutant))
    expect(changes).toContainEqual({ line: 3, before: '  a = 1', after: '  a = 2' })
    expect(changes).toContainEqual({ line: 4, before: '} finally {\n  b()\n}', after: '} finally {}' })
  })
})

describe('a sample', async () => {
  const paths = [...new Bun.Glob('src/**/*.{ts,tsx}').scanSync(ROOT)].toSorted()
  const sources = new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)))
  const mutants = [...sources].flatMap(([path, source]) => mutantsOf(path, source))

  test('depends on the seed, and starts with each smaller one', () => {
    expect(sampled(mutants, 1, 20)).toEqual(sampled(mutants, 1, 100).slice(0, 20))
    expect(sampled(mutants, 2, 20)).not.toEqual(sampled(mutants, 1, 20))
  })

  test('has no mutant twice, and not more than exist', () => {
    const few = mutants.slice(0, 50)
    expect(new Set(sampled(few, 1, 60))).toEqual(new Set(few))
  })

  test('is valid code', () => {
    const isValid = (mutant: Mutant) => {
      const transpiler = new Bun.Transpiler({ loader: mutant.path.endsWith('x') ? 'tsx' : 'ts' })
      try {
        return transpiler.transformSync(applied(sources.get(mutant.path)!, mutant)) !== ''
      } catch {
        return false
      }
    }
    expect(sampled(mutants, 1, 300).filter((mutant) => !isValid(mutant))).toEqual([])
  })
})

describe('equivalent mutants', () => {
  test.each(equivalent as Record<'file' | 'operator' | 'before' | 'after' | 'reason', string>[])(
    '$file: $after',
    async ({ file, operator, before, after, reason }) => {
      const source = await read(file)
      const existing = mutantsOf(file, source).map((mutant) => ({ ...changedLines(source, mutant), ...mutant }))
      const fitting = existing.filter(
        (mutant) => mutant.operator === operator && mutant.before.trim() === before && mutant.after.trim() === after,
      )
      expect(fitting).not.toEqual([])
      expect(reason).not.toBe('')
    },
  )
})
