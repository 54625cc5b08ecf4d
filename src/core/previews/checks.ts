import { addressChecks } from './checks/address.ts'
import type { TagCheck, CheckFacts, Severity } from './checks/check.ts'
import { deliveryChecks } from './checks/delivery.ts'
import { imageChecks } from './checks/image.ts'
import { oembedChecks } from './checks/oembed.ts'
import { textChecks } from './checks/text.ts'

const ORDER: Record<Severity, number> = { error: 0, warning: 1, notice: 2, ok: 3 }

/** The findings about the cards of a page, the most severe first. */
export function checksOf(facts: CheckFacts): TagCheck[] {
  const checks = [
    ...deliveryChecks(facts),
    ...textChecks(facts),
    ...imageChecks(facts),
    ...addressChecks(facts),
    ...oembedChecks(facts),
  ]
  return checks.toSorted((a, b) => ORDER[a.severity] - ORDER[b.severity])
}
