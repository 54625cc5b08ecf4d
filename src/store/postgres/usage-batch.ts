import { dayOf } from '../../core/period.ts'
import { PLAYGROUND, type RequestOutcome, type Slot, type SlotResult, type UsageBatch } from '../../core/usage-ports.ts'

/** What each outcome adds to its day. An abandoned request only shows that its key is in use. */
const COUNTED: Record<RequestOutcome, { answers: number; cache_hits: number; failures: number }> = {
  answered_fresh: { answers: 1, cache_hits: 0, failures: 0 },
  answered_from_cache: { answers: 1, cache_hits: 1, failures: 0 },
  failed: { answers: 0, cache_hits: 0, failures: 1 },
  abandoned: { answers: 0, cache_hits: 0, failures: 0 },
}

const isGivenBack = (outcome: RequestOutcome) => outcome === 'failed' || outcome === 'abandoned'

/** A user's month in a batch. Rows of a batch are known by their numbers. */
interface MonthRow {
  m: number
  user_id: string
  month: string
  /** Settlements, and those among them that give their slots back. */
  settled: number
  given_back: number
}

/** Consecutive requests of one month with the same limit; `step` counts the runs of the month, from 1. */
interface RunRow {
  r: number
  m: number
  step: number
  wanted: number
  limit: number
}

/** A request; `place` counts those of its run, from 1. The first ones get the slots that are left. */
interface RequestRow {
  r: number
  place: number
  key_id: string
  /** When it is charged at once, or null for both. */
  day: string | null
  at: number | null
}

interface SettlementRow {
  m: number
  key_id: string
  day: string
  at: number
  answers: number
  cache_hits: number
  failures: number
}

/** A batch as rows, which one statement reads as JSON. */
export interface BatchRows {
  months: MonthRow[]
  runs: RunRow[]
  requests: RequestRow[]
  settlements: SettlementRow[]
}

/** The slots that one run got: how many were used before it, and how many it took. */
export type RunResult = readonly [before: number, taken: number]

export function rowsOf({ requests, settlements }: UsageBatch): BatchRows {
  const rows: BatchRows = { months: [], runs: [], requests: [], settlements: [] }
  const monthsByUser = new Map<string, MonthRow[]>()
  const lastRuns = new Map<MonthRow, RunRow>()

  function monthOf({ userId, month }: Slot): MonthRow {
    let ofUser = monthsByUser.get(userId)
    if (!ofUser) monthsByUser.set(userId, (ofUser = []))
    const known = ofUser.find((row) => row.month === month)
    if (known) return known
    const row = { m: rows.months.length, user_id: userId, month, settled: 0, given_back: 0 }
    ofUser.push(row)
    rows.months.push(row)
    return row
  }

  /** The run that the next request of the month belongs to. A plan can change between two requests of one user. */
  function runOf(month: MonthRow, limit: number): RunRow {
    const last = lastRuns.get(month)
    if (last?.limit === limit) return last
    const run = { r: rows.runs.length, m: month.m, step: (last?.step ?? 0) + 1, wanted: 0, limit }
    lastRuns.set(month, run)
    rows.runs.push(run)
    return run
  }

  for (const { slot, outcome, atMs } of settlements) {
    const month = monthOf(slot)
    month.settled++
    if (isGivenBack(outcome)) month.given_back++
    const key_id = slot.keyId ?? PLAYGROUND
    rows.settlements.push({ m: month.m, key_id, day: dayOf(atMs), at: atMs, ...COUNTED[outcome] })
  }
  for (const { slot, limit, chargedAtMs } of requests) {
    const run = runOf(monthOf(slot), limit)
    run.wanted++
    const day = chargedAtMs === null ? null : dayOf(chargedAtMs)
    rows.requests.push({ r: run.r, place: run.wanted, key_id: slot.keyId ?? PLAYGROUND, day, at: chargedAtMs })
  }
  return rows
}

/** The result of each request, by the results of the runs in their order. */
export function resultsOf({ requests }: BatchRows, runs: readonly RunResult[]): SlotResult[] {
  return requests.map(({ r, place }) => {
    const [before, granted] = runs[r]!
    const taken = place <= granted
    return { taken, used: before + (taken ? place : granted) }
  })
}
