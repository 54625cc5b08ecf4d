// Tests of many combinations run one case of each kind by default, and all of them with TEST_THOROUGH=1, which `.ci/run` sets.

export const isThorough = process.env['TEST_THOROUGH'] === '1'

const NOTICE = 'Cases that repeat others or take very long did not run. TEST_THOROUGH=1 runs all of them.'

let isNoticed = false

/** Says once per run that it has fewer cases. The processes of `npm test` leave that to its `posttest`. */
function notice() {
  if (isNoticed || process.env['BUN_TEST_WORKER_ID'] !== undefined) return
  isNoticed = true
  process.stderr.write(`${NOTICE}\n`)
}

/** The typical cases of a list, at least one of which must exist; all of them with TEST_THOROUGH=1. */
export function typicalCases<Case>(all: readonly Case[], isTypical: (one: Case, index: number) => boolean): Case[] {
  if (isThorough) return [...all]
  const typical = all.filter(isTypical)
  if (typical.length === 0) throw new Error('none of the cases is typical')
  if (typical.length < all.length) notice()
  return typical
}

/** Defines tests that repeat others under different conditions, or take very long: they only run with TEST_THOROUGH=1. */
export function whenThorough(define: () => void): void {
  if (isThorough) define()
  else notice()
}

/** Defines tests always if they are typical, and otherwise only with TEST_THOROUGH=1. */
export function whenTypical(isTypical: boolean, define: () => void): void {
  if (isTypical) define()
  else whenThorough(define)
}

if (import.meta.main && !isThorough) process.stdout.write(`${NOTICE}\n`)
