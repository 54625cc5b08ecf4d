// Lists the measurements of the pages about benchmarks: the commands that repeat each, the commit that was measured, and how many
// later commits changed the measured code.
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

/** The pages with measurements. */
export const PAGES: readonly string[] = ['docs/benchmarks.md', 'docs/benchmarks-history.md']

/** A section with measurements. */
export interface Measurement {
  heading: string
  /** The benchmarks in its commands; empty if it names none. */
  benchmarks: readonly string[]
  /** The commit that was measured: the first one that the section names; null if it names none. */
  commit: string | null
}

/** The sections with a table of numbers or a command. A section below the third level belongs to the one above it. */
export function measurementsIn(text: string): Measurement[] {
  const sections = text.split(/^(?=###? )/m).filter((section) => section.startsWith('##'))
  return sections.flatMap((section) => {
    const benchmarks = [...new Set(Array.from(section.matchAll(/`[^`]*bun run\s+bench\s+(\w+)/g), ([, name]) => name!))]
    if (benchmarks.length === 0 && !/^\|.*\d.*\|$/m.test(section)) return []
    const heading = /^#+ (.*)/.exec(section)?.[1] ?? ''
    return [{ heading, benchmarks, commit: /\bcommit\s+`?([0-9a-f]{8})\b/.exec(section)?.[1] ?? null }]
  })
}

export async function run() {
  const texts = await Promise.all(PAGES.map((page) => Bun.file(join(ROOT, page)).text()))
  const rows = texts.flatMap(measurementsIn).map(({ heading, benchmarks, commit }) => {
    if (commit === null) throw new Error(`${heading}: no commit`)
    const paths = [...new Set(benchmarks.flatMap((name) => MEASURED[name] ?? []))]
    if (paths.length === 0) throw new Error(`${heading}: no measured code`)
    const { stdout, exitCode, stderr } = Bun.spawnSync(
      ['git', 'rev-list', '--count', `${commit}..HEAD`, '--', ...paths],
      {
        cwd: ROOT,
        stderr: 'pipe',
      },
    )
    if (exitCode !== 0) throw new Error(`${heading}: ${stderr.toString()}`)
    return { heading, benchmarks: benchmarks.join(' '), commit, 'later commits': Number(stdout.toString()) }
  })
  console.table(rows)
}
