import { memoized } from '../../core/memoized.ts'
import { matchesWildcards } from '../../core/wildcards.ts'

/** An `Allow` or `Disallow` line. */
export interface Rule {
  isAllowed: boolean
  /** A path with `*` for any text, and `$` for the end. */
  pattern: string
}

/** The rules of a robots.txt by the crawler's name in lower case; `*` is for all others. */
export type RobotsTxt = ReadonlyMap<string, readonly Rule[]>

/** Crawlers must read at least this much, and need not read more (RFC 9309 section 2.5). */
export const MAX_ROBOTS_BYTES = 500 * 1024

/** The maximum number of rules of one crawler. Files of large sites have a few hundred; 500 KB could have 50,000. */
const MAX_RULES = 1_000

/** Longer paths are truncated before they are compared, so that a long path with many rules takes only milliseconds. */
const MAX_PATH_CHARACTERS = 2_048

/** `Disallow: /private  # comment`; misspelled keys are ignored, like all unknown keys. */
const LINES = /^[^\S\r\n]*(user-agent|allow|disallow)[^\S\r\n]*:([^#\r\n]*)/gim

/** The name at the start of `Twitterbot/1.0`. */
const PRODUCT = /^(?:\*|[a-z_-]+)/i

/** The rules of a robots.txt for some crawlers and `*` (RFC 9309 section 2.2), in linear time. Never throws. */
export function parseRobotsTxt(text: string, crawlers: readonly string[]): RobotsTxt {
  const known = new Set(['*', ...crawlers.map((name) => name.toLowerCase())])
  const rulesByAgent = new Map<string, Rule[]>()
  /** The rules of the crawlers to which the next lines apply. */
  let group = new Set<Rule[]>()
  let isAmongAgents = false
  for (const [, key, rest] of text.matchAll(LINES)) {
    const value = rest!.trim()
    if (key!.toLowerCase() === 'user-agent') {
      // Consecutive user-agent lines share the rules below them.
      if (!isAmongAgents) group = new Set()
      isAmongAgents = true
      const agent = PRODUCT.exec(value)?.[0].toLowerCase() ?? ''
      if (known.has(agent)) group.add(rulesByAgent.getOrInsert(agent, []))
      continue
    }
    isAmongAgents = false
    const open = [...group].filter((rules) => rules.length < MAX_RULES)
    // An empty path allows everything.
    if (value === '' || open.length === 0) continue
    const rule = { isAllowed: key!.toLowerCase() === 'allow', pattern: normalized(value) }
    for (const rules of open) rules.push(rule)
  }
  return rulesByAgent
}

/** The rules for a crawler: its own, or else the rules for all crawlers. */
export function rulesFor(robots: RobotsTxt, crawler: string): readonly Rule[] {
  return robots.get(crawler.toLowerCase()) ?? robots.get('*') ?? []
}

/** Returns whether a rule matches a URL. Each rule is compared once, because several crawlers can share it. */
export function matcherOf(url: URL): (rule: Rule) => boolean {
  const path = normalized(url.pathname + url.search).slice(0, MAX_PATH_CHARACTERS)
  return memoized(({ pattern }) => matchesWildcards(path, pattern.endsWith('$') ? pattern.slice(0, -1) : `${pattern}*`))
}

/** Whether the rules allow a URL: the longest matching rule decides, and `Allow` wins ties. */
export function rulesAllow(rules: readonly Rule[], matches: (rule: Rule) => boolean): boolean {
  let decision = { isAllowed: true, length: -1 }
  for (const rule of rules) {
    const { isAllowed, pattern } = rule
    const { length } = pattern
    if (length < decision.length || (length === decision.length && !isAllowed)) continue
    if (matches(rule)) decision = { isAllowed, length }
  }
  return decision.isAllowed
}

/** Percent-encodes non-ASCII characters and writes escapes in upper case, so that paths can be compared as text. */
function normalized(path: string): string {
  return path
    .replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()))
    .replace(/%[\da-f]{2}/gi, (escape) => escape.toUpperCase())
}
