import { randomOf } from '../differential/random.ts'
import type { Mutant } from './operators.ts'

const AREAS = ['core', 'service', 'store', 'fetch', 'http'] as const
export type Area = (typeof AREAS)[number] | 'other'

/** The part of `src/` that a file belongs to. */
export function areaOf(path: string): Area {
  return AREAS.find((area) => path.startsWith(`src/${area}/`)) ?? 'other'
}

/**
 * A sample that depends only on the seed and the code; a smaller one is the start of a larger one. An operator in an area is drawn with the
 * square root of its number of mutants as its weight, so that rare ones, such as dropped catches, are in the sample too.
 */
export function sampled(mutants: readonly Mutant[], seed: number, count: number): Mutant[] {
  const { below } = randomOf(seed)
  const groups = [...Map.groupBy(mutants, ({ path, operator }) => `${areaOf(path)} ${operator}`).values()]
  const weighted = groups.map((group) => ({ left: [...group], weight: Math.ceil(Math.sqrt(group.length)) }))
  const sample: Mutant[] = []
  while (sample.length < Math.min(count, mutants.length)) {
    const open = weighted.filter(({ left }) => left.length > 0)
    let rest = below(open.reduce((sum, { weight }) => sum + weight, 0))
    const { left } = open.find(({ weight }) => (rest -= weight) < 0)!
    sample.push(...left.splice(below(left.length), 1))
  }
  return sample
}
