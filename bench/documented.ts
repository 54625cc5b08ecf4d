// Lists the tables of docs/benchmarks.md: the command that repeats each measurement, the commit that was measured, and how
// many later commits changed the measured code. Measure the tables again that are marked, or show that the change has no effect.
// usage: bun bench/main.ts documented
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const READING = ['src/core/extract', 'src/core/net', 'src/core/walls', 'src/fetch', 'src/service/lookup']
const METERING = [
  'src/http/api',
  'src/http/server',
  'src/service/usage',
  'src/store/sql',
  'src/store/sqlite',
  'src/store/memory',
]

/** What each benchmark measures. */
const MEASURED: Readonly<Record<string, readonly string[]>> = {
  accuracy: ['src/core/extract'],
  extract: ['src/core/extract'],
  fairness: ['src/fetch', 'src/service/lookup'],
  fetch: READING,
  goals: [...READING, ...METERING],
  headless: ['src/fetch/chromium'],
  large: ['src/store/sqlite', 'src/http/routes', 'views'],
  oembed: ['src/core/oembed', 'src/fetch/oembed.ts', 'src/service/lookup/oembed.ts'],
  redis: ['src/store/redis'],
  scale: ['src/store/postgres', 'src/store/redis'],
  service: [...READING, ...METERING],
  soak: ['src'],
  stalls: READING,
  threads: [...READING, ...METERING],
  year: ['src/service/usage', 'src/service/operation', 'src/store/sql', 'src/store/sqlite'],
}

/** A section with a table of measurements. */
export interface Measurement {
  heading: string
  /** The benchmark in its command; null if it names none. */
  benchmark: string | null
  /** The commit that was measured; null if it names none. */
  commit: string | null
}

/** The sections with tables. A section below the third level belongs to the one above it. */
export function measurementsIn(text: string): Measurement[] {
  const sections = text.split(/^(?=###? )/m).filter((section) => /^\|.*\d.*\|$/m.test(section))
  return sections.map((section) => ({
    heading: /^#+ (.*)/.exec(section)?.[1] ?? '',
    benchmark: /`[^`]*bun run\s+bench (\w+)[^`]*`/.exec(section)?.[1] ?? null,
    commit: /\bcommit\s+`?([0-9a-f]{8})\b/.exec(section)?.[1] ?? null,
  }))
}

export async function run() {
  const text = await Bun.file(join(ROOT, 'docs/benchmarks.md')).text()
  const rows = measurementsIn(text).map(({ heading, benchmark, commit }) => {
    const paths = MEASURED[benchmark ?? '']
    if (paths === undefined || commit === null) throw new Error(`${heading}: no command or no commit`)
    const { stdout, exitCode, stderr } = Bun.spawnSync(
      ['git', 'rev-list', '--count', `${commit}..HEAD`, '--', ...paths],
      {
        cwd: ROOT,
        stderr: 'pipe',
      },
    )
    if (exitCode !== 0) throw new Error(`${heading}: ${stderr.toString()}`)
    return { heading, benchmark, commit, 'later commits': Number(stdout.toString()) }
  })
  console.table(rows)
}
