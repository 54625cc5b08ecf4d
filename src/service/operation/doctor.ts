import { messageOf } from '../../core/errors.ts'
import { messageWithCause, STORE_FAULTS, StoreError } from '../../core/store-fault.ts'

// Runs the checks of `urlmeta doctor`. src/compose/doctor/ collects their facts, and doctor/ decides the findings.

/** Warnings and failures have a remedy. */
export type Finding =
  { status: 'ok' | 'skipped'; detail: string } | { status: 'warning' | 'failed'; detail: string; remedy: string }

export const ok = (detail: string): Finding => ({ status: 'ok', detail })
/** For a check that does not apply, or that depends on another check that failed. */
export const skipped = (detail: string): Finding => ({ status: 'skipped', detail })
/** For something that works, but should be improved. */
export const warning = (detail: string, remedy: string): Finding => ({ status: 'warning', detail, remedy })
export const failed = (detail: string, remedy: string): Finding => ({ status: 'failed', detail, remedy })

export interface DoctorCheck {
  name: string
  /** A rejection counts as a failed check. */
  run: (signal: AbortSignal) => Promise<Finding>
}

export type NamedFinding = Finding & { name: string }

/** The deadline of a check in milliseconds. Starting a browser on a busy machine takes ten seconds. */
const CHECK_DEADLINE_MS = 30_000

/** Runs all checks at the same time and yields their findings in the order of the checks. */
export async function* runChecks(
  checks: readonly DoctorCheck[],
  deadlineMs = CHECK_DEADLINE_MS,
): AsyncGenerator<NamedFinding> {
  const running = checks.map((check) => runCheck(check, deadlineMs))
  for (const [i, finding] of running.entries()) yield { name: checks[i]!.name, ...(await finding) }
}

async function runCheck({ run }: DoctorCheck, deadlineMs: number): Promise<Finding> {
  const deadline = new AbortController()
  const { promise: timedOut, resolve } = Promise.withResolvers<Finding>()
  using _timer = setTimeout(() => {
    deadline.abort(new Error('the check took too long'))
    const seconds = Math.round(deadlineMs / 1_000)
    resolve(failed(`no result within ${seconds} s`, 'Try again when the machine is less busy.'))
  }, deadlineMs)
  try {
    return await Promise.race([run(deadline.signal), timedOut])
  } catch (error) {
    if (error instanceof StoreError) return failed(messageWithCause(error), STORE_FAULTS[error.fault].remedy)
    return failed(messageOf(error), 'See the message; the log of the server may have more details.')
  }
}
