import type { Import } from '../import-graph.ts'

/** Files that are started by their path, as a program or a thread, instead of being imported. */
const STARTED: readonly [from: string, to: string][] = [
  ['test/executable.ts', 'src/main.ts'],
  ['src/compose/server-reader.ts', 'src/compose/read-worker.ts'],
  ['src/store/sqlite/disk-thread.ts', 'src/store/sqlite/disk-worker.ts'],
  ['test/http/workers.test.ts', 'test/http/faulty-worker.ts'],
]

/** The time of a test file that `test/timings.json` does not have. */
const UNKNOWN_MS = 5_000

export interface TestFile {
  path: string
  /** The number of imports from the test file to the mutant. */
  distance: number
  /** How long it takes on an idle machine. */
  ms: number
}

/**
 * The test files that import a file, directly or indirectly: the closest first, of these those in the directory of the same
 * name, of these the fastest.
 */
export function nearestTests(
  path: string,
  importers: ReadonlyMap<string, readonly string[]>,
  times: Readonly<Record<string, number>>,
): TestFile[] {
  const distances = new Map([[path, 0]])
  // A Map iterates over the entries that are added meanwhile.
  for (const [file, distance] of distances)
    for (const importer of importers.get(file) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1)

  const reached = [...distances].filter(([file]) => /\.test\.tsx?$/.test(file))
  const tests = reached.map(([file, distance]) => ({ path: file, distance, ms: times[file] ?? UNKNOWN_MS }))
  return tests.toSorted(
    (a, b) =>
      a.distance - b.distance ||
      sharedFolders(b.path, path) - sharedFolders(a.path, path) ||
      a.ms - b.ms ||
      (a.path < b.path ? -1 : 1),
  )
}

/** 2 for `test/core/net/url.test.ts` and `src/core/net/address.ts`. */
function sharedFolders(test: string, path: string): number {
  const [one, other] = [test, path].map((name) => name.split('/').slice(1, -1)) as [string[], string[]]
  const differing = one.findIndex((folder, i) => folder !== other[i])
  return differing < 0 ? one.length : differing
}

/** The files that load each file. */
export function importersOf(imports: readonly Import[]): Map<string, string[]> {
  const edges = [...imports.filter(({ typeOnly }) => !typeOnly), ...STARTED.map(([from, to]) => ({ from, to }))]
  return new Map([...Map.groupBy(edges, ({ to }) => to)].map(([to, found]) => [to, found.map(({ from }) => from)]))
}
