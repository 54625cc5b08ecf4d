import { LIMIT_REACHED } from '../../core/fetch/image-facts.ts'
import { addressChecks } from './address.ts'
import { type CheckFacts, type Severity, type TagCheck, warning } from './check.ts'
import { deliveryChecks } from './delivery.ts'
import { imageChecks } from './image.ts'
import { textChecks } from './text.ts'

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

/** The oEmbed response that the page declares. Most pages declare none. */
function oembedChecks({ oembed }: CheckFacts): TagCheck[] {
  if (oembed === null || oembed.problem === '' || oembed.problem === LIMIT_REACHED) return []
  const reason = `The declared endpoint cannot be used: ${oembed.problem}. Mastodon and Discord fall back to the tags.`
  const fix = 'Make it return JSON with version and type, or remove the link to it.'
  return [warning('oEmbed', reason, fix)]
}
