// The state file of bench/soak.ts: one JSON object per line, appended while a piece runs, so that a piece that was cut off is
// known as such. And what all pieces say together.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

import { median } from './statistics.ts'

/** Memory is compared with that of the minutes before this one, when caches are filled and code is compiled. */
const SETTLED_MINUTE = 20
/** Memory varies with each garbage collection. */
const COMPARED_MINUTES = 5
const MAX_GROWTH = 0.1
/** Connections and the files of pages that are being rendered. */
const MAX_MORE_DESCRIPTORS = 32

export type Line =
  | { type: 'start'; piece: number; at: string; version: string; options: Readonly<Record<string, unknown>> }
  | { type: 'minute'; piece: number; minute: number; requests: number; megabytes: number; descriptors: number }
  | {
      type: 'end'
      piece: number
      answered: number
      charged: number
      exitCode: number
      forbiddenConnections: number
      /** Processes that still ran after the server had stopped. */
      leftProcesses: readonly string[]
      databaseMegabytes: number
      rendered: number
      /** Responses with another status than expected, and failures of saved pages. */
      failures: Readonly<Record<string, number>>
      /** Lines of the log above info. */
      warnings: Readonly<Record<string, number>>
    }

export function appendLine(path: string, line: Line): void {
  appendFileSync(path, `${JSON.stringify(line)}\n`)
}

export function readLines(path: string): Line[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as Line)
}

/** Why lines of the log above info are expected, by the start of their kind. */
const EXPLAINED: Readonly<Record<string, string>> = {
  'error: Chromium failed: Chromium does not respond': 'a hostile script blocked it, and it was replaced',
  'error: Chromium failed: Chromium did not open a page': 'the same',
  'error: Chromium failed: Chromium did not close a page': 'the same',
  'error: a worker ended; starting another': 'a hostile page took too long',
}

export interface Verdict {
  lines: string[]
  isGood: boolean
}

type Minute = Extract<Line, { type: 'minute' }>
type End = Extract<Line, { type: 'end' }>
/** Whether a goal was met; null if it could not be measured. */
type Judge = (isMet: boolean | null, text: string) => void

/** What all pieces say together; `isGood` if every goal that was measured was met. */
export function verdictOf(lines: readonly Line[]): Verdict {
  const verdict: Verdict = { lines: [], isGood: true }
  const judge: Judge = (isMet, text) => {
    verdict.isGood &&= isMet ?? true
    verdict.lines.push(`${isMet === null ? '    ' : isMet ? 'ok  ' : 'FAIL'} ${text}`)
  }
  const minutes = lines.filter((line) => line.type === 'minute')
  const ends = lines.filter((line) => line.type === 'end')
  for (const { piece } of lines.filter(({ type }) => type === 'start')) {
    const samples = minutes.filter((line) => line.piece === piece)
    const judgePiece: Judge = (isMet, text) => judge(isMet, `piece ${piece} (${samples.length} minutes): ${text}`)
    judgeSamples(samples, judgePiece)
    const end = ends.find((line) => line.piece === piece)
    if (end === undefined) judgePiece(null, 'cut off, so its charges are not compared')
    else judgeEnd(end, judgePiece)
  }
  for (const [kind, times] of totals(ends.map(({ warnings }) => warnings))) {
    const reason = Object.entries(EXPLAINED).find(([start]) => kind.startsWith(start))?.[1]
    judge(reason !== undefined, `log: ${times} × ${kind}: ${reason ?? 'unexplained'}`)
  }
  for (const [kind, times] of totals(ends.map(({ failures }) => failures))) {
    judge(/^\w+ 502/.test(kind), `responses: ${times} × ${kind}`)
  }
  const requests = minutes.reduce((sum, minute) => sum + minute.requests, 0)
  judge(null, `${minutes.length} minutes, ${requests} requests`)
  return verdict
}

function judgeSamples(samples: readonly Minute[], judge: Judge): void {
  const settled = samples.slice(SETTLED_MINUTE - COMPARED_MINUTES, SETTLED_MINUTE)
  const last = samples.slice(SETTLED_MINUTE).slice(-COMPARED_MINUTES)
  if (last.length === 0) return judge(null, 'too short to compare memory and descriptors')
  const medians = (part: readonly Minute[]) => ({
    megabytes: median(part.map(({ megabytes }) => megabytes)),
    descriptors: median(part.map(({ descriptors }) => descriptors)),
  })
  const [before, after] = [medians(settled), medians(last)]
  judge(
    after.megabytes <= (1 + MAX_GROWTH) * before.megabytes,
    `${before.megabytes} MB after ${SETTLED_MINUTE} minutes, ${after.megabytes} MB at the end`,
  )
  judge(
    after.descriptors <= before.descriptors + MAX_MORE_DESCRIPTORS,
    `${before.descriptors} descriptors, ${after.descriptors} at the end`,
  )
}

function judgeEnd(end: End, judge: Judge): void {
  judge(end.answered === end.charged, `${end.answered} answered, ${end.charged} charged`)
  judge(end.exitCode === 0, `exit code ${end.exitCode}`)
  judge(end.forbiddenConnections === 0, `${end.forbiddenConnections} connections to the forbidden port`)
  judge(end.leftProcesses.length === 0, `processes left: ${end.leftProcesses.join(', ') || 'none'}`)
  judge(null, `${end.rendered} pages rendered, database of ${end.databaseMegabytes} MB`)
}

/** The sums of each kind, the most frequent first. */
function totals(pieces: readonly Readonly<Record<string, number>>[]): [kind: string, times: number][] {
  const sums = new Map<string, number>()
  for (const [kind, times] of pieces.flatMap(Object.entries)) sums.set(kind, (sums.get(kind) ?? 0) + times)
  return [...sums].toSorted(([, a], [, b]) => b - a)
}
