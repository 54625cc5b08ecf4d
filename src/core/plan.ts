import { asciiLowerCase } from './ascii-case.ts'

/** The plans, smallest first. */
export const PLAN_NAMES = ['free', 'starter', 'growth', 'business'] as const
export type PlanName = (typeof PLAN_NAMES)[number]

export const PLAN_OF_NEW_USERS: PlanName = 'free'

/** The limits of a plan. The operator can configure every number. */
export interface Plan {
  name: PlanName
  /** The display name: `Free`. */
  label: string
  /** Requests per clock minute, for each key. */
  perMinute: number
  /** Successful requests per calendar month, for each user. */
  perMonth: number
  /** Active keys, for each user. */
  maxKeys: number
}

export type Plans = Readonly<Record<PlanName, Plan>>

export const DEFAULT_PLANS: Plans = {
  free: { name: 'free', label: 'Free', perMinute: 10, perMonth: 1_000, maxKeys: 2 },
  starter: { name: 'starter', label: 'Starter', perMinute: 60, perMonth: 10_000, maxKeys: 5 },
  growth: { name: 'growth', label: 'Growth', perMinute: 300, perMonth: 100_000, maxKeys: 10 },
  business: { name: 'business', label: 'Business', perMinute: 1_000, perMonth: 1_000_000, maxKeys: 20 },
}

/** `Growth` or `growth` → `growth`; anything else → null. */
export function parsePlanName(text: string): PlanName | null {
  const name = asciiLowerCase(text.trim())
  return PLAN_NAMES.find((plan) => plan === name) ?? null
}
