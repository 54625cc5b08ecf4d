import { OPERATOR_ACTIONS } from '../../src/core/accounts/audit-log.ts'
import { PLAN_NAMES } from '../../src/core/plan.ts'
import { PLATFORMS } from '../../src/previews/platforms/platforms.ts'

const IDS: ReadonlySet<string> = new Set([...OPERATOR_ACTIONS, ...PLAN_NAMES, ...PLATFORMS.map(({ id }) => id)])

/** Values of other closed sets and times, which users cannot choose. */
const OWN_WORDS =
  /^(error|warning|notice|ok|top|below|left|right|overlay|text|search|none|whole|1:1|2:1|1\.91:1|never|beside source|instead of image|description|title|source|github|google|staff|success|failure|good|bad|http|headless|caller|redirect|running|missing|email_unverified|link_invalid|invitation_invalid|header|rest not needed|previews|checks|json|sources|timing|code|embed|fits|cut|expired|SQLite|PostgreSQL|\d{4}-\d\d-\d\d.*)$/

/** Fields set by the code or the operator. */
export const OWN_FIELDS: ReadonlySet<string> = new Set([
  'fix',
  'platform',
  'subject',
  'baseUrl',
  'document',
  'expires',
  'label',
  'lastFour',
  'lastReason',
  'planLabel',
  'reason',
  'sources',
  'version',
])

/** Fields with links and markup that were made from docs/ when the program was built; test/http/docs.test.ts checks them. */
const BUILT_FIELDS: ReadonlySet<string> = new Set(['html', 'groups', 'hits'])

/** Props with every text replaced, except in the fields to keep. */
export function replaced<Value>(value: Value, text: string, kept: ReadonlySet<string> = new Set()): Value {
  if (typeof value === 'string') return (IDS.has(value) || OWN_WORDS.test(value) ? value : text) as Value
  if (Array.isArray(value)) return value.map((inner) => replaced(inner, text, kept)) as Value
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      BUILT_FIELDS.has(name) || kept.has(name) ? inner : replaced(inner, text, kept),
    ]),
  ) as Value
}
