import type { Hop, HopTiming } from '../../src/core/fetch/trace.ts'
import { msText, percent } from '../ui/number.ts'

const PHASES: readonly { name: keyof HopTiming; label: string; tone: string }[] = [
  { name: 'dnsMs', label: 'DNS', tone: 'dns' },
  { name: 'queueMs', label: 'Queue', tone: 'queue' },
  { name: 'connectMs', label: 'Connect', tone: 'connect' },
  { name: 'tlsMs', label: 'TLS', tone: 'tls' },
  { name: 'firstByteMs', label: 'First byte', tone: 'wait' },
  { name: 'bodyMs', label: 'Body', tone: 'body' },
]

export interface TimingProps {
  hops: readonly Hop[]
  /** Time in the browser in milliseconds; 0 when none was used. */
  browserMs: number
}

interface Piece {
  label: string
  tone: string
  startMs: number
  ms: number
}

/** The phases of each hop in order, then the browser if one was used. */
function rowsOf({ hops, browserMs }: TimingProps): Piece[][] {
  let startMs = 0
  const rows = hops.map(({ timing }) =>
    PHASES.flatMap(({ name, label, tone }) => {
      const ms = timing[name]
      if (ms === undefined) return []
      const piece = { label, tone, startMs, ms }
      startMs += ms
      return [piece]
    }),
  )
  return browserMs === 0 ? rows : [...rows, [{ label: 'Browser', tone: 'tls', startMs, ms: browserMs }]]
}

/** A bar per hop with its phases, and the same as text. */
export function Timing(props: TimingProps) {
  const rows = rowsOf(props)
  const totalMs = rows.flat().reduce((sum, { ms }) => sum + ms, 0)
  return (
    <ol class="timing">
      {rows.map((pieces) => (
        <li>
          <svg width="100%" height="12" aria-hidden="true">
            {pieces.map(({ tone, startMs, ms }) => (
              <rect
                class={tone}
                x={`${percent(startMs, totalMs).toFixed(2)}%`}
                width={`${percent(ms, totalMs).toFixed(2)}%`}
                height="12"
              />
            ))}
          </svg>
          <ul class="legend">
            {pieces.map(({ label, tone, ms }) => (
              <li class={tone} safe>
                {`${label} ${msText(ms)}`}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  )
}
