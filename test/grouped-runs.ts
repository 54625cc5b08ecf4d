/**
 * Runs cases in groups, one run for all cases of a group. The first case that asks for its result starts the run, and
 * every case asserts on its own part of the result. For runs that cost more than a case, such as a page in a browser.
 */
export function groupedRuns<Case, Result>(
  groups: readonly (readonly Case[])[],
  run: (group: readonly Case[]) => Promise<Result>,
): (one: Case) => Promise<Result> {
  const runs = new Map<readonly Case[], Promise<Result>>()
  return (one) => {
    const group = groups.find((cases) => cases.includes(one)) ?? [one]
    const running = runs.get(group) ?? run(group)
    runs.set(group, running)
    return running
  }
}

/** Divides a list into groups of at most `size`. */
export function groupsOf<Case>(cases: readonly Case[], size: number): Case[][] {
  return Array.from({ length: Math.ceil(cases.length / size) }, (_, i) => cases.slice(i * size, (i + 1) * size))
}
