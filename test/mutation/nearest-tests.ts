import { basename, dirname, join } from 'node:path/posix'

import type { Import } from '../import-graph.ts'

/** The file that builds the executable and starts it, and the executable's entry point. */
const PROGRAM = { from: 'test/executable.ts', to: 'src/main.ts' }

/** The entry point of a thread. */
const ENTRY_POINT = /'(\.[^'\n]*\.ts)', import\.meta\.url/g

/** The time of a test file that `test/timings.json` does not have. */
const UNKNOWN_MS = 5_000

export interface TestFile {
  path: string
  /** The number of imports from the test file to the mutant. */
  distance: number
  /** How long it takes on an idle machine. */
  ms: number
  /** How the test reaches the file. The lines that run in a thread or another process are not known. */
  by: 'import' | 'thread' | 'program'
}

/** The files that load each file, and those that start it as a thread. */
export interface Importers {
  loading: ReadonlyMap<string, readonly string[]>
  starting: ReadonlyMap<string, readonly string[]>
}

/**
 * The test files that reach a file, directly or indirectly. First those that import it, then those that start it as a
 * thread, last those that start the executable; of these first those with the name of the file, then the closest, then
 * those in the directory of the same name, then the fastest.
 */
export function nearestTests(
  path: string,
  { loading, starting }: Importers,
  times: Readonly<Record<string, number>>,
): TestFile[] {
  const loaders = (file: string) => loading.get(file) ?? []
  const threads = (file: string) => [...loaders(file), ...(starting.get(file) ?? [])]
  const programs = (file: string) => [...threads(file), ...(file === PROGRAM.to ? [PROGRAM.from] : [])]
  const seen = new Set<string>()
  const testsOf = (by: TestFile['by'], before: (file: string) => readonly string[]) =>
    [...distancesTo(path, before)]
      .flatMap(([file, distance]): TestFile[] => {
        if (!/\.test\.tsx?$/.test(file) || seen.has(file)) return []
        seen.add(file)
        return [{ path: file, distance, ms: times[file] ?? UNKNOWN_MS, by }]
      })
      .toSorted(
        (a, b) =>
          Number(hasNameOf(b.path, path)) - Number(hasNameOf(a.path, path)) ||
          a.distance - b.distance ||
          sharedFolders(b.path, path) - sharedFolders(a.path, path) ||
          a.ms - b.ms ||
          (a.path < b.path ? -1 : 1),
      )
  return [...testsOf('import', loaders), ...testsOf('thread', threads), ...testsOf('program', programs)]
}

function distancesTo(path: string, before: (file: string) => readonly string[]): Map<string, number> {
  const distances = new Map([[path, 0]])
  // A Map iterates over the entries that are added meanwhile.
  for (const [file, distance] of distances)
    for (const other of before(file)) if (!distances.has(other)) distances.set(other, distance + 1)
  return distances
}

/** True for `test/http/public-images.test.ts` and `src/http/routes/public-image.ts`. */
function hasNameOf(test: string, path: string): boolean {
  const [name, other] = [test, path].map((file) => basename(file).replace(/(?:\.test)?\.tsx?$/, '')) as [string, string]
  return name.startsWith(other) || other.startsWith(name)
}

/** 2 for `test/core/net/url.test.ts` and `src/core/net/address.ts`. */
function sharedFolders(test: string, path: string): number {
  const [one, other] = [test, path].map((name) => name.split('/').slice(1, -1)) as [string[], string[]]
  const differing = one.findIndex((folder, i) => folder !== other[i])
  return differing < 0 ? one.length : differing
}

/** `texts` are the files of TypeScript by their paths. */
export function importersOf(imports: readonly Import[], texts: ReadonlyMap<string, string>): Importers {
  const loaded = imports.filter(({ typeOnly }) => !typeOnly)
  const started = [...texts].flatMap(([from, text]) =>
    [...text.matchAll(ENTRY_POINT)].map(([, name]) => ({ from, to: join(dirname(from), name!) })),
  )
  return { loading: byTarget(loaded), starting: byTarget(started) }
}

function byTarget(edges: readonly Pick<Import, 'from' | 'to'>[]): Map<string, string[]> {
  return new Map([...Map.groupBy(edges, ({ to }) => to)].map(([to, found]) => [to, found.map(({ from }) => from)]))
}
