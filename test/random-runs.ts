/** The number of random inputs or steps: a third of `count`, and all of them with TEST_THOROUGH=1, which `.ci/run` sets. */
export const randomRuns = (count: number): number =>
  process.env['TEST_THOROUGH'] === '1' ? count : Math.ceil(count / 3)
