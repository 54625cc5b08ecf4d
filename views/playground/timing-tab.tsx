import type { FetchTrace, HopTiming } from '../../src/core/fetch/trace.ts'
import { Badge } from '../ui/badge.tsx'
import { Detail } from '../ui/detail.tsx'
import { decimalBytesText, msText, percent, pluralized } from '../ui/number.ts'
import { truncate } from './card-text.ts'
import { NoDetails } from './no-details.tsx'
import { RedirectChain } from './redirect-chain.tsx'
import texts from './trace-texts.json'
import type { TabProps } from './outcome.ts'

/** Longer destinations of blocked requests are truncated. */
const MAX_DESTINATION_CHARACTERS = 90

/** Bounds the list, because a page can request any number of destinations. */
const MAX_REFUSED = 5

export function TimingTab({ outcome: { response, explanation } }: TabProps) {
  if (explanation === null) return <NoDetails />
  const { trace, methodReason } = explanation
  const charset = trace.hops.at(-1)?.charset
  return (
    <>
      <h3>Timing</h3>
      <Timing trace={trace} totalMs={response.response_time_ms} />
      <h3>Fetch</h3>
      <dl class="details">
        <Detail name="Method">
          <Badge tone="accent" text={response.fetch_method} /> <span safe>{methodReason}</span>
        </Detail>
        {trace.rendering !== undefined && (
          <Detail name="Browser">
            <Rendering rendering={trace.rendering} />
          </Detail>
        )}
        {charset !== undefined && (
          <Detail name="Encoding">
            <Badge text={charset.encoding} /> <span safe>{texts.charset[charset.from]}</span>
          </Detail>
        )}
      </dl>
      <h3>Redirects</h3>
      <RedirectChain hops={trace.hops} />
    </>
  )
}

function Rendering({ rendering }: { rendering: NonNullable<FetchTrace['rendering']> }) {
  const { durationMs, requests, hosts, bytes, refused, failure } = rendering
  const load = `${pluralized(requests, 'request')} to ${pluralized(hosts, 'host')}, ${decimalBytesText(bytes)}, ${msText(durationMs)}`
  return (
    <>
      {failure !== undefined && <Badge tone="bad" text={failure.replaceAll('_', ' ')} />} <span safe>{load}</span>
      <ul>
        {refused.slice(0, MAX_REFUSED).map(({ destination, refusal }) => (
          <li>
            <Badge tone="bad" text={refusal.replaceAll('_', ' ')} /> blocked request to{' '}
            <code safe>{truncate(destination, MAX_DESTINATION_CHARACTERS)}</code>
          </li>
        ))}
      </ul>
    </>
  )
}

const PHASES: readonly { name: keyof HopTiming; label: string; tone: string }[] = [
  { name: 'dnsMs', label: 'DNS', tone: 'dns' },
  { name: 'queueMs', label: 'Queue', tone: 'queue' },
  { name: 'connectMs', label: 'Connect', tone: 'connect' },
  { name: 'tlsMs', label: 'TLS', tone: 'tls' },
  { name: 'firstByteMs', label: 'First byte', tone: 'wait' },
  { name: 'bodyMs', label: 'Body', tone: 'body' },
]

interface TimingProps {
  trace: Pick<FetchTrace, 'hops' | 'oembed' | 'rendering' | 'faviconMs' | 'step'>
  /** 0 for a fetch without a result, which has no rest. */
  totalMs: number
}

interface Piece {
  label: string
  tone: string
  startMs: number
  ms: number
  isUnfinished: boolean
}

/** The phases of each hop in order, then the other steps, and the rest of the total. */
function rowsOf({ trace: { hops, oembed, rendering, faviconMs, step }, totalMs }: TimingProps): Piece[][] {
  let startMs = 0
  const pieceOf = (label: string, tone: string, ms: number | undefined, isUnfinished = false): Piece[] => {
    if (ms === undefined) return []
    startMs += ms
    return [{ label, tone, startMs: startMs - ms, ms, isUnfinished }]
  }
  const rows = hops.map(({ timing, phase }) =>
    PHASES.flatMap(({ name, label, tone }) => pieceOf(label, tone, timing[name], phase?.name === name)),
  )
  const steps = [
    pieceOf('oEmbed', 'connect', oembed?.durationMs, step?.name === 'oembed'),
    pieceOf('Browser', 'tls', rendering?.durationMs, step?.name === 'render'),
    pieceOf('Favicon look-up', 'dns', faviconMs),
  ]
  // A browser that was started early runs while the page is fetched, so the steps may take longer than the total.
  const restMs = totalMs - startMs
  if (restMs >= 0.5) steps.push(pieceOf('Reading the page and the rest', 'queue', restMs))
  return [...rows, ...steps.filter((pieces) => pieces.length > 0)]
}

/** Shows a bar per hop, divided into phases, a bar for each other step, and the same numbers as text. */
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
            {pieces.map(({ label, tone, ms, isUnfinished }) => (
              <li class={tone} safe>
                {`${label} ${msText(ms)}${isUnfinished ? ' (not finished)' : ''}`}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  )
}
