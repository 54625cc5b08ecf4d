import { asciiLowerCase } from './ascii-case.ts'
import { parseWholeNumber } from './limits.ts'
import { mapNames } from './map-names.ts'

/** The limits of plans and users. Variables, options, forms and JSON derive their names from this table. */
export const LIMITS = {
  /** Requests per clock minute, for each key. A million is about 17,000 per second, more than one machine serves. */
  perMinute: { field: 'per_minute', label: 'Requests/min per key', minimum: 1, maximum: 1_000_000 },
  /** Successful requests per calendar month; 0 for no requests. Well within the range of the databases' integers. */
  perMonth: { field: 'per_month', label: 'Requests/month', minimum: 0, maximum: 1_000_000_000 },
  /** Active keys; 0 for no new keys. The maximum limits the number of rows of keys per user. */
  maxKeys: { field: 'keys', label: 'Active keys', minimum: 0, maximum: 10_000 },
} as const

export type LimitName = keyof typeof LIMITS
export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[]

/** The name of the option of a limit: `per-minute` for `--per-minute`. */
export const limitOptionName = (name: LimitName) => LIMITS[name].field.replace('_', '-')

/** The plans, smallest first. */
export const PLAN_NAMES = ['free', 'starter', 'growth', 'business'] as const
export type PlanName = (typeof PLAN_NAMES)[number]

export const PLAN_OF_NEW_USERS: PlanName = 'free'

/** Smaller plans protect a server from its users, not from its operators. */
export const PLAN_OF_NEW_OPERATORS: PlanName = 'business'

/** The plan of a new account with this address. */
export const planOfNewUser = (email: string, operators: readonly string[]): PlanName =>
  operators.includes(email) ? PLAN_OF_NEW_OPERATORS : PLAN_OF_NEW_USERS

/** A plan and its limits. The operator can configure every number. */
export interface Plan extends Record<LimitName, number> {
  name: PlanName
  /** The display name: `Free`. */
  label: string
}

export type Plans = Readonly<Record<PlanName, Plan>>

export const DEFAULT_PLANS: Plans = {
  free: { name: 'free', label: 'Free', perMinute: 10, perMonth: 1_000, maxKeys: 2 },
  starter: { name: 'starter', label: 'Starter', perMinute: 60, perMonth: 10_000, maxKeys: 5 },
  growth: { name: 'growth', label: 'Growth', perMinute: 300, perMonth: 100_000, maxKeys: 10 },
  business: { name: 'business', label: 'Business', perMinute: 1_000, perMonth: 1_000_000, maxKeys: 20 },
}

/** A user's own limits, which replace those of the plan; null for the plan's. */
export type OwnLimits = Record<LimitName, number | null>

/** What the limits of a user are computed from. Each property is a column of the same name. */
export interface UserPlan extends OwnLimits {
  plan: PlanName
}

/** The limits of a user, as computed by `limitsOf`. */
export interface Limits extends Plan {
  /** The limits that are the user's own; omitted if all are the plan's. */
  own?: readonly LimitName[]
}

/** The only place that decides the limits of a user. Without own limits, it is the object of the plan. */
export function limitsOf({ plans }: { plans: Plans }, user: UserPlan): Limits {
  const plan = plans[user.plan]
  const own = LIMIT_NAMES.filter((name) => user[name] !== null)
  return own.length === 0 ? plan : { ...plan, ...mapNames(own, (name) => user[name]!), own }
}

export const isOwnLimit = ({ own = [] }: Limits, name: LimitName): boolean => own.includes(name)

/** Completes a sentence about a limit: `on the Free plan`, or `for this account` if the limit is the user's own. */
export const limitScope = (limits: Limits, name: LimitName): string =>
  isOwnLimit(limits, name) ? 'for this account' : `on the ${limits.label} plan`

/** `Free`, or `Free with own limits`. */
export const planLabelOf = ({ label, own }: Limits): string => (own ? `${label} with own limits` : label)

/** The word that removes an own limit. */
const NO_OWN_LIMIT = 'plan'

/** Parses an own limit: a number, or '' or `plan` for the limit of the plan. The error is '' for valid text. */
export function parseOwnLimit(name: LimitName, text: string): { value: number | null; error: string } {
  // As numbers are written on pages: 5,000.
  const word = asciiLowerCase(text.trim()).replace(/^\d{1,3}(?:,\d{3})+$/, (number) => number.replaceAll(',', ''))
  const { minimum, maximum } = LIMITS[name]
  const value = parseWholeNumber(word, minimum, maximum)
  const isValid = value !== null || word === '' || word === NO_OWN_LIMIT
  return {
    value,
    error: isValid ? '' : `Expected a whole number from ${minimum} to ${maximum}, or ${NO_OWN_LIMIT}`,
  }
}

/** `Active keys: plan → 20`; '' if no limit changes. */
export function limitChangesText(before: OwnLimits, after: Partial<OwnLimits>): string {
  const text = (limit: number | null) => limit ?? NO_OWN_LIMIT
  const changed = LIMIT_NAMES.filter((name) => after[name] !== undefined && after[name] !== before[name])
  return changed.map((name) => `${LIMITS[name].label}: ${text(before[name])} → ${text(after[name]!)}`).join(', ')
}

/** `Growth` or `growth` → `growth`; anything else → null. */
export function parsePlanName(text: string): PlanName | null {
  const name = asciiLowerCase(text.trim())
  return PLAN_NAMES.find((plan) => plan === name) ?? null
}
