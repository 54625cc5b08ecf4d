import { endHopPhase, type Hop, type HopTiming } from '../../core/fetch/trace.ts'

/** As precise as `performance.now()`, and the same in all threads. */
const epochMs = (): number => performance.timeOrigin + performance.now()

/** Measures a phase of a hop, also if it fails. Several runs of a phase are added. */
export async function timed<T>(
  hop: Pick<Hop, 'timing' | 'phase'>,
  name: keyof HopTiming,
  run: () => Promise<T>,
): Promise<T> {
  hop.phase = { name, sinceMs: epochMs() }
  const result = await run().finally(() => endHopPhase(hop, epochMs()))
  delete hop.phase
  return result
}
