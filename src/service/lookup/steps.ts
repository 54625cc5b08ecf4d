import { endPhases, type FetchTrace, type Step } from '../../core/fetch/trace.ts'
import { epochMs } from '../../core/system.ts'

/** Marks a step as in progress until it has a result. */
export async function inStep<T>(trace: FetchTrace, name: Step, run: () => Promise<T>): Promise<T> {
  trace.step = { name, sinceMs: epochMs(performance) }
  const result = await run()
  delete trace.step
  return result
}

/** Waits for a result. If there is none, the trace has the phase that was in progress. */
export async function traced<T>(trace: FetchTrace, result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    endPhases(trace, epochMs(performance))
    throw error
  }
}
