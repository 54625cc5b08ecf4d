import type { FetchTrace, HopTiming } from '../../src/core/fetch/trace.ts'
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
  trace: Pick<FetchTrace, 'hops' | 'oembed' | 'rendering' | 'faviconMs'>
  totalMs: number
}

interface Piece {
  label: string
  tone: string
  startMs: number
  ms: number
}

/** The phases of each hop in order, then the other steps, and the rest of the total. */
function rowsOf({ trace: { hops, oembed, rendering, faviconMs }, totalMs }: TimingProps): Piece[][] {
  let startMs = 0
  const pieceOf = (label: string, tone: string, ms: number | undefined): Piece[] => {
    if (ms === undefined) return []
    startMs += ms
    return [{ label, tone, startMs: startMs - ms, ms }]
  }
  const rows = hops.map(({ timing }) => PHASES.flatMap(({ name, label, tone }) => pieceOf(label, tone, timing[name])))
  const steps = [
    pieceOf('oEmbed', 'connect', oembed?.durationMs),
    pieceOf('Browser', 'tls', rendering?.durationMs),
    pieceOf('Favicon look-up', 'dns', faviconMs),
  ]
  // A browser that was started early runs while the page is fetched, so that nothing may be left.
  const restMs = totalMs - startMs
  if (restMs >= 0.5) steps.push(pieceOf('Reading the page and the rest', 'queue', restMs))
  return [...rows, ...steps.filter((pieces) => pieces.length > 0)]
}

/** A bar per hop with its phases, a bar for each other step, and the same as text. */
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
