import { OPERATORS, type Change, type Mutant } from './operators.ts'
import { areaOf } from './sample.ts'

export type Outcome = 'killed' | 'timed out' | 'survived' | 'equivalent'

export interface Result extends Change {
  mutant: Mutant
  outcome: Outcome
  /** The test files that ran with the mutant; the last one killed it. */
  tests: readonly string[]
  /** For a survivor, the test files that may run it, but exceed the limits: the closest first. */
  skipped: readonly string[]
}

/** The number of skipped test files to name for each survivor. */
const MAX_SKIPPED = 5

/** Prints the number of mutants by area and by operator, and the change of each survivor. */
export function printReport(results: readonly Result[], unusable: readonly string[]): void {
  const byArea = Map.groupBy(results, ({ mutant }) => areaOf(mutant.path))
  const byOperator = Map.groupBy(results, ({ mutant }) => mutant.operator)
  printTable('area', [...byArea].toSorted())
  printTable(
    'operator',
    OPERATORS.map((operator) => [operator, byOperator.get(operator) ?? []]),
  )
  if (results.length === 0) return
  const files = results.map(({ tests }) => tests.length)
  console.log(
    `\ntest files for each mutant: ${(sum(files) / files.length).toFixed(1)} on average, at most ${Math.max(...files)}`,
  )
  for (const path of unusable) console.log(`not used, because it fails without a mutant: ${path}`)
  for (const { mutant, line, before, after, tests, skipped } of results.filter(
    ({ outcome }) => outcome === 'survived',
  )) {
    console.log(`\nsurvived ${tests.length} test files: ${mutant.path}:${line}, ${mutant.operator}`)
    for (const text of before.split('\n')) console.log(`- ${text}`)
    for (const text of after.split('\n')) console.log(`+ ${text}`)
    if (skipped.length === 0) continue
    console.log(`not run, for lack of time: ${skipped.length}, such as ${skipped.slice(0, MAX_SKIPPED).join(', ')}`)
  }
}

function printTable(title: string, groups: readonly (readonly [string, readonly Result[]])[]) {
  const row = (cells: readonly (string | number)[]) => {
    const [name = '', ...rest] = cells.map(String)
    console.log(`| ${name.padEnd(18)} |${rest.map((cell) => ` ${cell.padStart(10)} |`).join('')}`)
  }
  console.log()
  row([title, 'killed', 'timed out', 'survived', 'equivalent', 'score'])
  row(['-'.repeat(18), ...Array.from({ length: 5 }, () => '-'.repeat(10))])
  for (const [name, results] of [...groups, ['all', groups.flatMap(([, found]) => found)] as const]) {
    const of = (outcome: Outcome) => results.filter((result) => result.outcome === outcome).length
    const [dead, alive] = [of('killed') + of('timed out'), of('survived')]
    const score = dead + alive === 0 ? '' : `${((100 * dead) / (dead + alive)).toFixed(1)} %`
    row([name, of('killed'), of('timed out'), alive, of('equivalent'), score])
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
