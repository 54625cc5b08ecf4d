import { isThorough } from './thorough.ts'

/** The number of random inputs or steps: a third of `count`, and all of them with TEST_THOROUGH=1, which `.ci/run` sets. */
export const randomRuns = (count: number): number => (isThorough ? count : Math.ceil(count / 3))
