import { messageOf } from '../core/errors.ts'

/** What a check found. Whatever is not fine comes with what to do about it. */
export type Finding =
  { status: 'ok' | 'skipped'; detail: string } | { status: 'warning' | 'failed'; detail: string; remedy: string }

export const ok = (detail: string): Finding => ({ status: 'ok', detail })
/** The check does not apply here, or another one has failed that it needs. */
export const skipped = (detail: string): Finding => ({ status: 'skipped', detail })
/** It works, but not as well or as safely as it could. */
export const warning = (detail: string, remedy: string): Finding => ({ status: 'warning', detail, remedy })
/** It does not work. */
export const failed = (detail: string, remedy: string): Finding => ({ status: 'failed', detail, remedy })

export interface Check {
  name: string
  /** Rejecting is a finding too. */
  run: (signal: AbortSignal) => Promise<Finding>
}

export type NamedFinding = Finding & { name: string }

/** A browser that starts on a busy machine takes ten seconds; whatever takes longer does not work. In milliseconds. */
export const CHECK_DEADLINE_MS = 30_000

/** Runs all checks at the same time, and gives their findings in the order of the checks. */
export async function* runChecks(
  checks: readonly Check[],
  deadlineMs = CHECK_DEADLINE_MS,
): AsyncGenerator<NamedFinding> {
  const running = checks.map((check) => runCheck(check, deadlineMs))
  for (const [i, finding] of running.entries()) yield { name: checks[i]!.name, ...(await finding) }
}

async function runCheck({ run }: Check, deadlineMs: number): Promise<Finding> {
  const deadline = new AbortController()
  const { promise: late, resolve } = Promise.withResolvers<Finding>()
  const timer = setTimeout(() => {
    deadline.abort(new Error('the check took too long'))
    const seconds = Math.round(deadlineMs / 1_000)
    resolve(failed(`no result within ${seconds} s`, 'Try again when the machine is less busy, or look what hangs.'))
  }, deadlineMs)
  try {
    return await Promise.race([run(deadline.signal), late])
  } catch (error) {
    return failed(messageOf(error), 'Look at the message; the log of the server may say more.')
  } finally {
    clearTimeout(timer)
  }
}
