import { dayOf } from '../../core/period.ts'
import {
  COUNTED,
  PLAYGROUND_KEY_ID,
  releasesUnit,
  type QuotaUnit,
  type QuotaResult,
  type UsageBatch,
} from '../../core/usage/ports.ts'

/** A user's month in a batch. Other rows refer to the month by its number `m`. */
export interface MonthRow {
  m: number
  user_id: string
  month: string
  settled: number
  /** The number of settlements that release their unit. */
  released: number
}

/** Consecutive requests of one month with the same limit; `step` numbers the runs of the month, from 1. */
export interface RunRow {
  r: number
  m: number
  step: number
  wanted: number
  limit: number
}

/** A request. `place` is the position of the request in its run, from 1. The first requests get the remaining units. */
interface RequestRow {
  r: number
  place: number
  key_id: string
  /** The day of the charge; null for a reservation. */
  day: string | null
  at: number | null
}

export interface SettlementRow {
  m: number
  key_id: string
  day: string
  at: number
  successes: number
  cache_hits: number
  failures: number
}

/** The number of units that were used before a run, and the number of units that the run took. */
export type Granted = readonly [before: number, taken: number]

/** The changes of a batch, stored to undo them. */
export interface BatchEffect {
  runs: readonly Granted[]
  months: readonly (readonly [m: number, usedChange: number, openBefore: number, openAfter: number])[]
}

/** A batch as rows, which PostgreSQL gets as JSON in one statement. */
export interface BatchRows {
  months: MonthRow[]
  runs: RunRow[]
  requests: RequestRow[]
  settlements: SettlementRow[]
}

export function rowsOf({ requests, settlements }: UsageBatch): BatchRows {
  const rows: BatchRows = { months: [], runs: [], requests: [], settlements: [] }
  const monthsById = new Map<string, MonthRow>()
  const lastRuns = new Map<MonthRow, RunRow>()

  const monthOf = ({ userId, month }: QuotaUnit): MonthRow =>
    monthsById.getOrInsertComputed(`${month} ${userId}`, () => {
      const row = { m: rows.months.length, user_id: userId, month, settled: 0, released: 0 }
      rows.months.push(row)
      return row
    })

  /** The run that the next request of the month belongs to. A plan can change between two requests of one user. */
  function runOf(month: MonthRow, limit: number): RunRow {
    const last = lastRuns.get(month)
    if (last?.limit === limit) return last
    const run = { r: rows.runs.length, m: month.m, step: (last?.step ?? 0) + 1, wanted: 0, limit }
    lastRuns.set(month, run)
    rows.runs.push(run)
    return run
  }

  for (const { unit, outcome, atMs } of settlements) {
    const month = monthOf(unit)
    month.settled++
    if (releasesUnit(outcome)) month.released++
    const key_id = unit.keyId ?? PLAYGROUND_KEY_ID
    const { successes, cacheHits: cache_hits, failures } = COUNTED[outcome]
    rows.settlements.push({ m: month.m, key_id, day: dayOf(atMs), at: atMs, successes, cache_hits, failures })
  }
  for (const { unit, limit, chargedAtMs } of requests) {
    const run = runOf(monthOf(unit), limit)
    run.wanted++
    const day = chargedAtMs === null ? null : dayOf(chargedAtMs)
    rows.requests.push({ r: run.r, place: run.wanted, key_id: unit.keyId ?? PLAYGROUND_KEY_ID, day, at: chargedAtMs })
  }
  return rows
}

/** Derives the result of each request from the results of the runs, in order. */
export function resultsOf({ requests }: BatchRows, runs: readonly Granted[]): QuotaResult[] {
  return requests.map(({ r, place }) => {
    const [before, granted] = runs[r]!
    const taken = place <= granted
    return { taken, used: before + (taken ? place : granted) }
  })
}
