import { LIMIT_NAMES, type OwnLimits } from '../src/core/plan.ts'
import { mapNames } from '../src/core/map-names.ts'

/** The own limits of a user who has those of the plan. */
export const NO_OWN_LIMITS: OwnLimits = mapNames(LIMIT_NAMES, () => null)
