import type { ChallengeVendor, Interstitial } from '../../src/core/walls/interstitial.ts'
import type { RequestSummary } from '../../src/core/usage/request-log.ts'
import { countText, percent } from './number.ts'
import { TextLink } from './text.tsx'
import { dayText, RelativeTime } from './time.tsx'
import { NumberCell, Table, TextCell } from './table.tsx'

/** Failures of one kind: `timeout`, `http_status 404`. */
export type ReasonCount = RequestSummary['failuresByReason'][number]

export type HostFailures = RequestSummary['failuresByHost'][number]

const WALLS: Record<Exclude<Interstitial, ChallengeVendor>, string> = {
  consent: 'consent page (cookie wall)',
  login: 'login page',
}

/** What a site sent instead of the page: `consent page (cookie wall)`, `bot challenge (cloudflare)`. */
export function wallText(interstitial: string): string {
  return (WALLS as Record<string, string>)[interstitial] ?? `bot challenge (${reasonText(interstitial)})`
}

/**
 * `http_status 404` → `HTTP 404`, `blocked_by_site login` → `login page`, `key_expired 2026-11-28` → `key expired on 28
 * Nov`, `key_rotated 2026-11-28` → `key rotated, worked until 28 Nov`, `host_not_found` → `host not found`.
 */
export function reasonText(reason: string): string {
  if (reason.startsWith('blocked_by_site ')) return wallText(reason.slice('blocked_by_site '.length))
  const [, ended, day] = /^(key_\w+) (\d{4}-\d\d-\d\d)$/.exec(reason) ?? []
  if (day !== undefined)
    return `${reasonText(ended!)}${ended === 'key_rotated' ? ', worked until' : ' on'} ${dayText(day)}`
  return reason.replace(/^http_status (?=\d)/, 'HTTP ').replaceAll('_', ' ')
}

export interface FailureReasonsProps {
  failures: readonly ReasonCount[]
  /** The URL of the failures with this reason; without it, reasons are not linked. */
  href?: (reason: string) => string
}

/** The most frequent reason comes first. */
export function FailureReasons({ failures, href }: FailureReasonsProps) {
  if (failures.length === 0) return <p class="empty">No failures. Reasons appear here, the most frequent first.</p>
  const sorted = failures.toSorted((a, b) => b.count - a.count)
  const most = sorted[0]!.count
  return (
    <Table class="plain bars" caption="Failures by reason" columns={['Reason', 'Failures']} isHeadHidden>
      {sorted.map((failure) => (
        <tr>
          <th scope="row">
            <TextLink href={href?.(failure.reason)} text={reasonText(failure.reason)} />
          </th>
          <td>
            <span safe>{countText(failure.count)}</span>
            <svg width="100%" height="8" aria-hidden="true">
              <rect class="failed" width={`${percent(failure.count, most).toFixed(2)}%`} height="8" rx="2" />
            </svg>
          </td>
        </tr>
      ))}
    </Table>
  )
}

export interface FailingHostsProps {
  hosts: readonly HostFailures[]
  nowMs: number
  /** The URL of the requests to this host; without it, hosts are not linked. */
  href?: (host: string) => string
}

export function FailingHosts({ hosts, nowMs, href }: FailingHostsProps) {
  if (hosts.length === 0)
    return <p class="empty">No recent failures. Hosts appear here, with the reason of their last failure.</p>
  return (
    <Table
      class="cards"
      caption="Hosts with recent failures"
      columns={['Host', { number: 'Failures' }, 'Last reason', 'Last failure']}
    >
      {hosts.map((failing) => (
        <tr>
          <th scope="row" class="name">
            <code>
              <TextLink href={href?.(failing.host)} text={failing.host} />
            </code>
          </th>
          <NumberCell label="Failures" value={failing.count} />
          <TextCell label="Last reason" text={reasonText(failing.lastReason)} />
          <td data-label="Last failure">
            <RelativeTime ms={failing.lastAtMs} nowMs={nowMs} />
          </td>
        </tr>
      ))}
    </Table>
  )
}
