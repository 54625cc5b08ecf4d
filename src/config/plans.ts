import { DEFAULT_PLANS, type Plan, PLAN_NAMES, type PlanName, type Plans } from '../core/plan.ts'
import type { EnvReader } from './env-reader.ts'
import { wholeNumber } from './parse.ts'

/** About 17,000 per second for one key, more than one machine serves. */
export const MAX_PER_MINUTE = 1_000_000
/** Well within the range of SQLite integers and JSON numbers. */
const MAX_PER_MONTH = 1_000_000_000
/** Limits the number of rows of keys per user. */
const MAX_KEYS = 10_000

/** The limits of every plan: `URLMETA_PLAN_<NAME>_…`. */
export function readPlans(read: EnvReader): Plans {
  const readPlan = ({ name, label, perMinute, perMonth, maxKeys }: Plan): Plan => {
    const prefix = `URLMETA_PLAN_${name.toUpperCase()}`
    return {
      name,
      label,
      perMinute: read.required(`${prefix}_PER_MINUTE`, wholeNumber(1, MAX_PER_MINUTE), String(perMinute)),
      // 0 disables a plan: no requests, or no keys.
      perMonth: read.required(`${prefix}_PER_MONTH`, wholeNumber(0, MAX_PER_MONTH), String(perMonth)),
      maxKeys: read.required(`${prefix}_KEYS`, wholeNumber(0, MAX_KEYS), String(maxKeys)),
    }
  }
  return Object.fromEntries(PLAN_NAMES.map((name) => [name, readPlan(DEFAULT_PLANS[name])])) as Record<PlanName, Plan>
}
