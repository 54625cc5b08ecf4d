/** How often a test file ran each line of each file. A line without code has no count. */
export type Coverage = ReadonlyMap<string, ReadonlyMap<number, number>>

/** Parses an LCOV report. */
export function parseCoverage(lcov: string): Coverage {
  const files = lcov.split('end_of_record').map((record) => {
    const counts = [...record.matchAll(/^DA:(\d+),(\d+)/gm)].map(
      ([, line, count]) => [Number(line), Number(count)] as const,
    )
    return [/^SF:(.*)$/m.exec(record)?.[1] ?? '', new Map(counts)] as const
  })
  return new Map(files)
}

/**
 * Whether a test file may run some of the lines. Coverage does not know all: a file without counts may run in another thread or process,
 * and a line without a count may be a part of a statement.
 */
export function mayRun(coverage: Coverage, path: string, from: number, to: number): boolean {
  const lines = coverage.get(path)
  if (lines === undefined) return true
  const counts = [...lines].flatMap(([line, count]) => (line >= from && line <= to ? [count] : []))
  return counts.length === 0 || counts.some((count) => count > 0)
}
