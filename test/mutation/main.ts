// Changes the source in small ways, and reports the changes that no test notices.
// CONTRIBUTING.md describes the options.
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { readImports } from '../import-graph.ts'
import timings from '../timings.json'
import equivalent from './equivalent.json'
import { mayRun, type Coverage } from './coverage.ts'
import { importersOf, nearestTests, type TestFile } from './nearest-tests.ts'
import { applied, changedLines, mutantsOf, type Change, type Mutant } from './operators.ts'
import { printReport, type Result } from './report.ts'
import { sampled } from './sample.ts'
import { openWorkingCopy, type Verdict, type WorkingCopy } from './working-copy.ts'

const ROOT = join(import.meta.dir, '../..')

/** A mutant that behaves like the source, found by its text, which moves with its lines. */
interface Equivalent {
  file: string
  operator: string
  before: string
  after: string
  reason: string
}
const EQUIVALENT: readonly Equivalent[] = equivalent

/** The most test files that run for a mutant. */
const MAX_FILES = 25

/** Slower tests wait for other processes, which may be late under load. */
const FAST_MS = 1_000

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string', default: '300' },
    jobs: { type: 'string', default: '2' },
    // The sum of the usual times of the tests for a mutant.
    seconds: { type: 'string', default: '40' },
    under: { type: 'string', multiple: true, default: ['src'] },
  },
})
const seed = numberOf(values.seed)
const jobs = Math.max(1, numberOf(values.jobs))
const budgetMs = 1_000 * numberOf(values.seconds)

// The tests inherit it: the machine stays usable.
setPriority(3)

const FOLDERS = ['src', 'views', 'test']
const paths = [...new Bun.Glob(`{${FOLDERS.join(',')}}/**/*.{ts,tsx}`).scanSync(ROOT)].toSorted()
const sources = new Map(
  await Promise.all(paths.map(async (path) => [path, await Bun.file(join(ROOT, path)).text()] as const)),
)
const all = [...sources].flatMap(([path, source]) => (path.startsWith('src/') ? mutantsOf(path, source) : []))
const chosen = all.filter((mutant) => values.under.some((place) => isUnder(mutant, place)))
if (chosen.length === 0) fail(`no mutants under ${values.under.join(', ')}`)
const sample = sampled(chosen, seed, numberOf(values.count))
console.log(`seed ${seed}: ${sample.length} of ${chosen.length} mutants`)

const importers = importersOf(await readImports(ROOT, FOLDERS), sources)
const coverages = new Map<string, Promise<Coverage | null>>()
const results: Result[] = []
// Ctrl-C ends the run after the current mutant, with a report.
let isStopping = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void (isStopping = true))
const queue = sample.values()
await Promise.all(Array.from({ length: jobs }, testMutants))
const unusable = await Promise.all([...coverages].map(async ([path, coverage]) => ((await coverage) ? [] : [path])))
printReport(results, unusable.flat())
process.exitCode = results.some(({ outcome }) => outcome === 'survived') ? 1 : 0

async function testMutants() {
  await using copy = await openWorkingCopy(ROOT)
  for (const mutant of queue) {
    if (isStopping) break
    const change = changedLines(sources.get(mutant.path)!, mutant)
    const result: Result = { mutant, ...change, ...(await outcomeOf(copy, mutant, change)) }
    results.push(result)
    const tried = result.tests.length === 0 ? '' : `, ${result.tests.length} test files, last ${result.tests.at(-1)}`
    console.log(`${results.length} ${mutant.path}:${change.line} ${mutant.operator}: ${result.outcome}${tried}`)
  }
}

function numberOf(text = ''): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  return fail('usage: bun run mutate --seed N [--count N] [--under PATH]... [--jobs N] [--seconds N]')
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}

function isUnder({ path, start }: Mutant, place: string): boolean {
  const line = sources.get(path)!.slice(0, start).split('\n').length
  return path.startsWith(`${place.replace(/\/$/, '')}/`) || path === place || `${path}:${line}` === place
}

async function outcomeOf(copy: WorkingCopy, mutant: Mutant, { line, before, after }: Change) {
  const isListed = EQUIVALENT.some(
    (known) =>
      known.file === mutant.path &&
      known.operator === mutant.operator &&
      known.before === before.trim() &&
      known.after === after.trim(),
  )
  const tests: string[] = []
  if (isListed) return { outcome: 'equivalent' as const, tests, skipped: [] }
  const source = sources.get(mutant.path)!
  const to = line + before.split('\n').length - 1
  const nearest = nearestTests(mutant.path, importers, timings.files)
  let leftMs = budgetMs
  const skipped = new Set<string>()
  for (const test of nearest) {
    // Tests that start the executable build it first: they are only used if no other test runs the code.
    if (test.by === 'program' && tests.length > 0) break
    if (test.ms > leftMs || tests.length === MAX_FILES) {
      skipped.add(test.path)
      continue
    }
    const coverage = await coverageOf(copy, test)
    const lines = coverage?.get(mutant.path)
    if (coverage === null || (lines ? !mayRun(lines, line, to) : test.by === 'import')) continue
    leftMs -= test.ms
    tests.push(test.path)
    await copy.write(mutant.path, applied(source, mutant))
    const verdict = await verdictOf(copy, test)
    await copy.write(mutant.path, source)
    if (verdict !== 'passed')
      return { outcome: verdict === 'failed' ? ('killed' as const) : verdict, tests, skipped: [] }
  }
  return { outcome: 'survived' as const, tests, skipped: [...skipped] }
}

/** A slow test must fail twice. */
async function verdictOf(copy: WorkingCopy, { path, ms }: TestFile): Promise<Verdict> {
  const verdict = await copy.test(path, ms)
  return verdict === 'failed' && ms > FAST_MS ? copy.test(path, ms) : verdict
}

/** The lines that a test file runs; null if it fails without a mutant, which proves nothing. */
function coverageOf(copy: WorkingCopy, { path, ms }: TestFile): Promise<Coverage | null> {
  const coverage = coverages.get(path) ?? copy.cover(path, ms)
  coverages.set(path, coverage)
  return coverage
}
