import { Html } from '@elysiajs/html'

import { count, percent } from '../ui/number.ts'
import { RelativeTime } from '../ui/time.tsx'

/** Why fetches failed, and how many. */
export interface FailureReason {
  reason: string
  count: number
}

/** A host that failed recently. */
export interface FailingHost {
  host: string
  count: number
  lastReason: string
  lastAtMs: number
}

/** A bar chart, the most frequent reason first. */
export function FailureReasons({ failures }: { failures: readonly FailureReason[] }) {
  if (failures.length === 0) return <p class="empty">No failures. Reasons appear here, the most frequent first.</p>
  const sorted = failures.toSorted((a, b) => b.count - a.count)
  const most = sorted[0]!.count
  return (
    <table class="plain bars">
      <caption class="visually-hidden">Failures by reason</caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">Reason</th>
          <th scope="col">Failures</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map((failure) => (
          <tr>
            <th scope="row" safe>
              {failure.reason.replaceAll('_', ' ')}
            </th>
            <td>
              <span safe>{count(failure.count)}</span>
              <svg width="100%" height="8" aria-hidden="true">
                <rect class="failed" width={`${percent(failure.count, most).toFixed(2)}%`} height="8" rx="2" />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function FailingHosts({ hosts, nowMs }: { hosts: readonly FailingHost[]; nowMs: number }) {
  if (hosts.length === 0) return <p class="empty">No recent failures.</p>
  return (
    <table class="cards">
      <caption class="visually-hidden">Hosts with recent failures</caption>
      <thead>
        <tr>
          <th scope="col">Host</th>
          <th scope="col" class="number">
            Failures
          </th>
          <th scope="col">Last reason</th>
          <th scope="col">Last failure</th>
        </tr>
      </thead>
      <tbody>
        {hosts.map((failing) => (
          <tr>
            <th scope="row" class="name">
              <code safe>{failing.host}</code>
            </th>
            <td data-label="Failures" class="number" safe>
              {count(failing.count)}
            </td>
            <td data-label="Last reason" safe>
              {failing.lastReason.replaceAll('_', ' ')}
            </td>
            <td data-label="Last failure">
              <RelativeTime ms={failing.lastAtMs} nowMs={nowMs} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
