import { LIMIT_REACHED } from '../../fetch/image-facts.ts'
import type { CheckFacts, TagCheck } from './check.ts'
import { warning } from './check.ts'

/** The oEmbed response that the page declares. Most pages declare none. */
export function oembedChecks({ oembed }: CheckFacts): TagCheck[] {
  if (oembed === null || oembed.problem === '' || oembed.problem === LIMIT_REACHED) return []
  const reason = `The declared endpoint cannot be used: ${oembed.problem}. Mastodon and Discord fall back to the tags.`
  const fix = 'Make it return JSON with version and type, or remove the link to it.'
  return [warning('oEmbed', reason, fix)]
}
