import { escapeHtml } from '@kitajs/html'

import type { LoggedRequest, RequestSummary } from '../../src/core/usage/request-log.ts'
import type { DailyUsage } from '../../src/core/usage/ports.ts'
import { requestsUrl, requestUrl, timeLinks } from '../requests/request-links.ts'
import { RequestRows } from '../requests/request-rows.tsx'
import { CHART_DAYS, chartDays, totalsOf } from '../ui/chart-days.ts'
import { FailureReasons } from '../ui/failures.tsx'
import { ChartStats } from '../ui/stat.tsx'
import { UsageChart } from '../ui/usage-chart.tsx'

export interface KeyActivityProps {
  keyId: string
  nowMs: number
  /** The last `CHART_DAYS` days; days without requests may be missing. */
  days: readonly DailyUsage[]
  /** The requests in the log, newest first. */
  requests: readonly LoggedRequest[]
  /** Of the requests in the log, the most frequent reason first. */
  failuresByReason: RequestSummary['failuresByReason']
  /** The UTC days of the log. */
  loggedDays: readonly string[]
}

/** Shown beside the chart. */
const LATEST_REQUESTS = 10

const SHOWN_REASONS = 3

const NO_REQUESTS = 'No requests yet. Send the key in the X-API-Key header; requests per day appear here.'
const REFUSED = 'No request has been fetched. Requests that were refused before that are not in the chart.'

export function KeyActivity({ keyId, nowMs, days, requests, failuresByReason, loggedDays }: KeyActivityProps) {
  const chart = chartDays(days, CHART_DAYS, nowMs)
  return (
    <div class="columns">
      <section class="panel" aria-labelledby="days">
        <div class="panel-head">
          <h2 id="days">{`Last ${CHART_DAYS} days`}</h2>
          <a href={escapeHtml(`/usage?key=${encodeURIComponent(keyId)}`)}>View usage</a>
        </div>
        <ChartStats totals={totalsOf(chart)} />
        <UsageChart
          days={chart}
          href={timeLinks(keyId, loggedDays)}
          empty={requests.length > 0 ? REFUSED : NO_REQUESTS}
        />
        {failuresByReason.length > 0 && (
          <>
            <h3>Most frequent failures, last 7 days</h3>
            <FailureReasons
              failures={failuresByReason.slice(0, SHOWN_REASONS)}
              href={(result) => requestsUrl({ keyId, result })}
            />
          </>
        )}
      </section>
      <section class="panel" aria-labelledby="latest">
        <div class="panel-head">
          <h2 id="latest">Latest requests</h2>
          <a href={escapeHtml(requestsUrl({ keyId }))}>View requests</a>
        </div>
        {requests.length === 0 ? (
          <p class="empty">No requests in the last 7 days. They appear here about a second after they finish.</p>
        ) : (
          <RequestRows
            requests={requests.slice(0, LATEST_REQUESTS)}
            href={(id) => requestUrl(id, { keyId })}
            keys={null}
            nowMs={nowMs}
          />
        )}
      </section>
    </div>
  )
}
