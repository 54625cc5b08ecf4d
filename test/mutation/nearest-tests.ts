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
  /** Whether the file is only reached through a program or a thread that the test starts. */
  isStarted: boolean
}

/**
 * The test files that import a file, directly or indirectly: the closest first, of these those in the directory of the same
 * name, of these the fastest. Those that only start it are last.
 */
export function nearestTests(path: string, importers: Importers, times: Readonly<Record<string, number>>): TestFile[] {
  const loaded = distancesTo(path, (file) => importers.get(file) ?? [])
  const all = distancesTo(path, (file) => [...(importers.get(file) ?? []), ...startersOf(file)])
  const tests = [...all].flatMap(([file, distance]): TestFile[] => {
    if (!/\.test\.tsx?$/.test(file)) return []
    const near = loaded.get(file)
    return [{ path: file, distance: near ?? distance, ms: times[file] ?? UNKNOWN_MS, isStarted: near === undefined }]
  })
  return tests.toSorted(
    (a, b) =>
      Number(a.isStarted) - Number(b.isStarted) ||
      a.distance - b.distance ||
      sharedFolders(b.path, path) - sharedFolders(a.path, path) ||
      a.ms - b.ms ||
      (a.path < b.path ? -1 : 1),
  )
}

function distancesTo(path: string, before: (file: string) => readonly string[]): Map<string, number> {
  const distances = new Map([[path, 0]])
  // A Map iterates over the entries that are added meanwhile.
  for (const [file, distance] of distances)
    for (const other of before(file)) if (!distances.has(other)) distances.set(other, distance + 1)
  return distances
}

function startersOf(file: string): string[] {
  return STARTED.flatMap(([from, to]) => (to === file ? [from] : []))
}

/** 2 for `test/core/net/url.test.ts` and `src/core/net/address.ts`. */
function sharedFolders(test: string, path: string): number {
  const [one, other] = [test, path].map((name) => name.split('/').slice(1, -1)) as [string[], string[]]
  const differing = one.findIndex((folder, i) => folder !== other[i])
  return differing < 0 ? one.length : differing
}

/** The files that load each file. */
export type Importers = ReadonlyMap<string, readonly string[]>

export function importersOf(imports: readonly Import[]): Importers {
  const loading = Map.groupBy(
    imports.filter(({ typeOnly }) => !typeOnly),
    ({ to }) => to,
  )
  return new Map([...loading].map(([to, found]) => [to, found.map(({ from }) => from)]))
}
