import { endHopPhase, type Hop, type HopTiming } from '../../core/fetch/trace.ts'
import { epochMs } from '../../core/system.ts'

/** Measures a phase of a hop, also if it fails. Several runs of a phase are added. */
export async function timed<T>(
  hop: Pick<Hop, 'timing' | 'phase'>,
  name: keyof HopTiming,
  run: () => Promise<T>,
): Promise<T> {
  hop.phase = { name, sinceMs: epochMs(performance) }
  const result = await run().finally(() => endHopPhase(hop, epochMs(performance)))
  delete hop.phase
  return result
}
