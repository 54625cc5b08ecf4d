import { methodReasonOf } from '../core/fetch/method-reason.ts'
import type { FetchTrace, Hop, HopTiming } from '../core/fetch/trace.ts'
import type { ReadResult } from '../service/lookup/reader.ts'
import { printable } from './output.ts'

export type ExplainedResult = { read: ReadResult } | { error: string }

/** How a URL was fetched and the source of each value, as text. */
export function explain(url: string, trace: FetchTrace, outcome: ExplainedResult): string {
  const lines = [url, ...trace.hops.flatMap(hopLines), ...oembedLines(trace), ...methodLines(trace, outcome)]
  const result = 'error' in outcome ? [`  ${outcome.error}`] : valueLines(outcome.read)
  return [...lines, '', ...result].map(printable).join('\n')
}

/** How a URL was fetched and the source of each value, as the value of the JSON property `explain`. */
export function explanation(trace: FetchTrace, outcome: ExplainedResult): object {
  return { ...trace, ...('read' in outcome && { sources: outcome.read.sources, extra: outcome.read.extra }) }
}

function oembedLines({ hops, oembed }: FetchTrace): string[] {
  if (oembed === undefined) return []
  const lines = oembed.hops.flatMap((hop, index) => hopLines(hop, hops.length + index))
  const isListed = oembed.hops.some(({ failure }) => failure === oembed.failure)
  return isListed ? lines : [...lines, `     failed     ${oembed.failure}`]
}

function methodLines(trace: FetchTrace, outcome: ExplainedResult): string[] {
  const { method, rendering } = trace
  if (method === undefined) return []
  const used = 'read' in outcome ? outcome.read.result.fetch_method : 'http'
  const lines = ['', `  ${used}: ${methodReasonOf(trace, used)}`]
  if (rendering === undefined) return lines
  const { durationMs, requests, hosts, bytes, refused, failure } = rendering
  const load = `${requests} requests to ${hosts} hosts, ${bytes} bytes, ${Math.round(durationMs)} ms`
  const failed = failure === undefined ? '' : `, failed (${failure})`
  const refusals = refused.map(({ destination, refusal }) => `     refused    ${destination} (${refusal})`)
  return [...lines, `     browser    ${load}${failed}`, ...refusals]
}

function hopLines(hop: Hop, index: number): string[] {
  const by = hop.by === 'caller' ? '' : ` (${hop.by}${hop.isDowngrade ? ', from https down to http' : ''})`
  const facts: [name: string, fact: string | undefined][] = [
    ['addresses', addressesOf(hop)],
    ['connected', connectionOf(hop)],
    ['response', responseOf(hop)],
    ['cookies', cookiesOf(hop)],
    ['body', bodyOf(hop)],
    ['charset', hop.charset && `${hop.charset.encoding} (${hop.charset.from})`],
    ['timing', timingOf(hop)],
    ['failed', hop.failure],
  ]
  const lines = facts.flatMap(([name, fact]) => (fact ? [`     ${name.padEnd(11)}${fact}`] : []))
  return ['', `  ${index + 1}. ${hop.url}${by}`, ...lines]
}

function addressesOf({ addresses, resolvedBy }: Hop): string | undefined {
  if (addresses.length === 0) return undefined
  const verdicts = addresses.map(({ address, verdict, refusal }) =>
    refusal ? `${address} ${verdict}, refused (${refusal})` : `${address} ${verdict}`,
  )
  return `${verdicts.join(' · ')}${resolvedBy ? `, by ${resolvedBy}` : ''}`
}

function connectionOf({ attempts, keptConnectionTo, tls, issuerFrom }: Hop): string | undefined {
  const issuer = issuerFrom === undefined ? '' : `, intermediate certificate from ${issuerFrom}`
  const suffix = tls ? `, ${tls}${issuer}` : ''
  if (keptConnectionTo !== undefined) return `reused connection to ${keptConnectionTo}${suffix}`
  if (attempts.length === 0) return undefined
  const tried = attempts.map(({ address, error }) => (error ? `${address} failed (${error})` : `to ${address}`))
  return tried.join(', ') + suffix
}

function responseOf({ status, location, contentType, contentEncoding }: Hop): string | undefined {
  if (status === undefined) return undefined
  const facts = [String(status), contentType, contentEncoding].filter(Boolean).join(' · ')
  return location ? `${facts} → ${location}` : facts
}

function cookiesOf({ cookiesSent, cookiesSet }: Hop): string {
  const sent = cookiesSent.length > 0 && `sent ${cookiesSent.join(', ')}`
  const set = cookiesSet.length > 0 && `set ${cookiesSet.join(', ')}`
  return [sent, set].filter(Boolean).join('; ')
}

/** The texts for values of `stopped` that only make sense in the code. Other values are printed as they are. */
const STOP_REASONS: Partial<Record<NonNullable<Hop['stopped']>, string>> = {
  cap: 'size limit',
  'not a page': 'not HTML',
}

function bodyOf({ wireBytes, bodyBytes, stopped }: Hop): string | undefined {
  if (bodyBytes === undefined) return undefined
  const wire = wireBytes === undefined ? '' : `${wireBytes} bytes received, `
  return `${wire}${bodyBytes} decoded${stopped ? `, stopped: ${STOP_REASONS[stopped] ?? stopped}` : ''}`
}

const PHASES: readonly [phase: keyof HopTiming, name: string][] = [
  ['queueMs', 'queue'],
  ['dnsMs', 'DNS'],
  ['connectMs', 'connect'],
  ['tlsMs', 'TLS'],
  ['firstByteMs', 'first byte'],
  ['bodyMs', 'body'],
]

function timingOf({ timing, phase: last }: Hop): string | undefined {
  const reached = PHASES.flatMap(([phase, name]) => {
    const ms = timing[phase]
    if (ms === undefined) return []
    return [`${name} ${ms.toFixed(1)}${last?.name === phase ? ' (not finished)' : ''}`]
  })
  return reached.length > 0 ? `${reached.join(' · ')} ms` : undefined
}

/** Every value with its source, in the order of the response. */
function valueLines({ result, sources, extra }: ReadResult): string[] {
  const values = Object.entries(result).flatMap(([name, value]) =>
    typeof value === 'object'
      ? Object.entries(value).map(([inner, text]) => [`${name}.${inner}`, String(text)] as const)
      : [[name, String(value)] as const],
  )
  const extras = Object.entries(extra).map(([name, { value, source }]) => {
    return [`extra.${name}`, typeof value === 'string' ? value : JSON.stringify(value), source] as const
  })
  const lines = [...values.map(([path, value]) => [path, value, sources[path]] as const), ...extras]
  const width = Math.max(...lines.map(([path]) => path.length))
  return lines.map(([path, value, source]) => `  ${path.padEnd(width)}  ${value}${source ? `  ← ${source}` : ''}`)
}
