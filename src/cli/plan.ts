import { InvalidArgumentError } from '@commander-js/extra-typings'

import { parsePlanName, PLAN_NAMES, type PlanName } from '../core/plan.ts'

/** A plan's name on the command line. @throws InvalidArgumentError, which Commander turns into wrong use */
export function planArgument(text: string): PlanName {
  const plan = parsePlanName(text)
  if (!plan) throw new InvalidArgumentError(`Plans are ${PLAN_NAMES.join(', ')}.`)
  return plan
}
