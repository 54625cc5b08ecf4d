import { wordSet } from '../../core/word-set.ts'
import trackingHosts from './tracking-hosts.json'

export type ResourcePolicy = 'load' | 'refuse' | 'empty response'

/** `type` is Playwright's name of the resource type. */
export interface RequestedResource {
  type: string
  url: string
}

/** Resource types that never affect the metadata. */
const BLOCKED_TYPES = wordSet('image media font texttrack manifest ping cspviolationreport eventsource')

/** Allowed schemes: the network, and data that the page already has. All others are refused, in particular `file:`. */
const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'data:', 'blob:'])

/** Analytics and advertising, by registrable domain or host. Hosts whose scripts also load content are not listed. */
const TRACKING_HOSTS: readonly string[] = trackingHosts

export function resourcePolicyOf({ type, url }: RequestedResource): ResourcePolicy {
  const parsed = URL.parse(url)
  if (parsed === null || !SCHEMES.has(parsed.protocol)) return 'refuse'
  // Some bundlers load a component's style sheet first and do not render the component if that fails.
  if (type === 'stylesheet') return 'empty response'
  if (BLOCKED_TYPES.has(type)) return 'refuse'
  const isTracker = TRACKING_HOSTS.some((host) => `.${parsed.hostname}`.endsWith(`.${host}`))
  return type !== 'document' && isTracker ? 'refuse' : 'load'
}

const METADATA_TYPES: ReadonlySet<string> = new Set(['document', 'script', 'xhr', 'fetch'])

/** The page is not ready while such a request is pending. */
export function mayAffectMetadata({ type, url }: RequestedResource): boolean {
  return METADATA_TYPES.has(type) && resourcePolicyOf({ type, url }) === 'load'
}
