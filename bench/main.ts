// Runs one benchmark: bun bench/main.ts NAME [options]. Each benchmark is a file in this directory that exports `run`.
interface Benchmark {
  run(args: string[]): Promise<void>
}

const BENCHMARKS = new Map<string, () => Promise<Benchmark>>([
  ['accuracy', () => import('./accuracy.ts')],
  ['crash', () => import('./crash.ts')],
  ['documented', () => import('./documented.ts')],
  ['extract', () => import('./extract.ts')],
  ['fairness', () => import('./fairness.ts')],
  ['fetch', () => import('./fetch.ts')],
  ['goals', () => import('./goals.ts')],
  ['headless', () => import('./headless.ts')],
  ['large', () => import('./large.ts')],
  ['oembed', () => import('./oembed.ts')],
  ['redis', () => import('./redis.ts')],
  ['scale', () => import('./scale.ts')],
  ['service', () => import('./service.ts')],
  ['small', () => import('./small.ts')],
  ['soak', () => import('./soak.ts')],
  ['stalls', () => import('./stalls.ts')],
  ['threads', () => import('./threads.ts')],
  ['year', () => import('./year.ts')],
])

const [name = 'goals', ...args] = Bun.argv.slice(2)
const load = BENCHMARKS.get(name)
if (load === undefined) {
  console.error(`usage: bun bench/main.ts ${[...BENCHMARKS.keys()].join('|')} [options]`)
  process.exit(2)
}
const benchmark = await load()
await benchmark.run(args)
