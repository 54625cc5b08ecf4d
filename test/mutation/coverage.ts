/** How often a test file ran each line of a file. A line without code has no count. */
export type LineCounts = ReadonlyMap<number, number>

/** The counts of each file that was loaded. */
export type Coverage = ReadonlyMap<string, LineCounts>

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

/** Whether some of the lines may have run. A line without a count may be a part of a statement. */
export function mayRun(lines: LineCounts, from: number, to: number): boolean {
  const counts = [...lines].flatMap(([line, count]) => (line >= from && line <= to ? [count] : []))
  return counts.length === 0 || counts.some((count) => count > 0)
}
