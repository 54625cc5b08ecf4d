import { escapeHtml } from '@kitajs/html'

import type {
  Latency,
  LoggedRequest,
  LoggedValues,
  RequestFilter,
  RequestSummary,
} from '../src/core/usage/request-log.ts'
import { PagedList, type Paging } from './admin/pager.tsx'
import { RequestFilterForm } from './requests/request-filter-form.tsx'
import { type Frame, Shell } from './shell.tsx'
import { FailingHosts, FailureReasons, reasonText } from './ui/failures.tsx'
import { Stat } from './ui/stat.tsx'
import { PostForm } from './ui/form.tsx'
import { countText, msText, percentText } from './ui/number.ts'
import { Timestamp } from './ui/time.tsx'
import { Table, TextCell } from './ui/table.tsx'

export interface RequestsProps {
  frame: Frame
  /** The viewer's keys, including deactivated and expired ones, for the filter and for names. */
  keys: { id: string; name: string; lastFour: string }[]
  filter: RequestFilter
  /** The choices of the filter. */
  values: Pick<LoggedValues, 'reasons' | 'hosts'>
  /** One page of the matching requests, newest first. */
  requests: LoggedRequest[]
  /** Of all matching requests. */
  summary: RequestSummary
  paging: Paging
  /** Whether host and path are logged. */
  logsUrls: boolean
}

/** The latest requests of the viewer's keys. */
export function RequestsPage(props: RequestsProps) {
  const { frame, filter, requests, summary, paging, logsUrls } = props
  const query = queryOf(filter)
  const href = (page: number) => urlOf(PATH, { ...query, page: String(page) })
  const filtered = (more: Partial<RequestFilter>) => urlOf(PATH, queryOf({ ...filter, ...more }))
  return (
    <Shell frame={frame} title="Requests" description="The latest API requests of your keys.">
      <h1>Requests</h1>
      <p class="lead">
        {filter.keyId === null
          ? 'The last 1,000 API requests of your keys, at most 7 days old. Select a key to see its last 1,000.'
          : 'The last 1,000 API requests of this key, at most 7 days old.'}
      </p>
      <section class="panel" aria-labelledby="summary">
        <h2 id="summary">Summary</h2>
        <RequestFilterForm {...props} />
        <dl class="stats">
          <Stat label="Requests" value={countText(summary.total)} />
          <Stat label="Failed" value={percentText(summary.failed, summary.total)} />
          <Stat label="Fetched, p50 / p95" value={latencyText(summary.fetched)} />
          <Stat label="From cache, p50 / p95" value={latencyText(summary.cached)} />
        </dl>
        <p class="hint">
          Latency of successful requests, until the response was ready. This is a sample: at most 100 requests per
          second and account are logged.
        </p>
      </section>
      <section aria-labelledby="log">
        <div class="panel-head">
          <h2 id="log">Log</h2>
          {summary.total > 0 && (
            <a class="button small" href={escapeHtml(urlOf(`${PATH}.csv`, query))} download="urlmeta-requests.csv">
              Download as CSV
            </a>
          )}
        </div>
        <PagedList paging={paging} href={href}>
          {requests.length > 0 ? (
            <RequestTable {...props} />
          ) : Object.keys(query).length === 0 ? (
            <p class="empty">No requests. They appear here about a second after they finish.</p>
          ) : (
            <p class="empty">
              No matching requests. <a href={PATH}>Clear filters</a>
            </p>
          )}
        </PagedList>
      </section>
      {summary.failed > 0 && (
        <section class="panel" aria-labelledby="reasons">
          <h2 id="reasons">Failures by reason</h2>
          <FailureReasons failures={summary.failuresByReason} href={(reason) => filtered({ result: reason })} />
        </section>
      )}
      {summary.failuresByHost.length > 0 && (
        <section aria-labelledby="hosts">
          <h2 id="hosts">Failures by host</h2>
          <FailingHosts hosts={summary.failuresByHost} nowMs={frame.nowMs} href={(host) => filtered({ host })} />
        </section>
      )}
      <section class="panel" aria-labelledby="urls">
        <h2 id="urls">URL logging</h2>
        <p>
          {logsUrls
            ? 'Host and path of requested URLs are logged, without the query. Disabling this deletes the URLs already logged.'
            : 'Requested URLs are not logged. When enabled, host and path are logged, without the query.'}
        </p>
        <PostForm action="/usage/requests/urls" csrf={frame.csrf}>
          <input type="hidden" name="log" value={logsUrls ? 'false' : 'true'} />
          <button class="button">{logsUrls ? 'Disable URL logging' : 'Enable URL logging'}</button>
        </PostForm>
      </section>
    </Shell>
  )
}

const PATH = '/usage/requests'

/** The parameters of the filter; none for one that selects everything. */
function queryOf({ keyId, result, cache, host }: RequestFilter): Record<string, string> {
  return {
    ...(keyId !== null && { key: keyId }),
    ...(result !== 'all' && { result }),
    ...(cache !== 'all' && { cache }),
    ...(host !== null && { host }),
  }
}

function urlOf(path: string, query: Record<string, string>): string {
  const search = new URLSearchParams(query).toString()
  return search === '' ? path : `${path}?${search}`
}

function latencyText({ p50, p95 }: Latency): string {
  return p50 === null || p95 === null ? '–' : `${latency(p50)} / ${latency(p95)}`
}

/** Latencies are whole milliseconds. */
function latency(ms: number): string {
  return msText(ms === 0 ? 0.5 : ms)
}

function RequestTable({ requests, keys, logsUrls }: RequestsProps) {
  const keyOf = new Map(keys.map((key) => [key.id, key]))
  return (
    <Table
      class="cards requests"
      caption="Requests, newest first"
      columns={['Time', 'Key', 'Status', 'Result', 'Cache', { number: 'Latency' }, ...(logsUrls ? ['URL'] : [])]}
    >
      {requests.map((request) => (
        <tr>
          <th scope="row">
            <Timestamp ms={request.atMs} />
          </th>
          <td data-label="Key" class="text">
            <KeyOf item={keyOf.get(request.keyId)} />
          </td>
          <td data-label="Status">
            <span>
              <span class={request.status < 400 ? 'badge good' : 'badge bad'} safe>
                {String(request.status)}
              </span>{' '}
              {request.method !== 'GET' && <span safe>{request.method}</span>}{' '}
              {request.format !== null && <span safe>{request.format}</span>}
            </span>
          </td>
          <TextCell label="Result" text={reasonText(request.reason)} />
          <TextCell label="Cache" text={request.cache === null ? '–' : request.cache.toLowerCase()} />
          <TextCell label="Latency" text={latency(request.latencyMs)} class="number" />
          {logsUrls && (
            <TextCell
              label="URL"
              text={request.host === null ? '–' : `${request.host}${request.path ?? ''}`}
              class="text"
            />
          )}
        </tr>
      ))}
    </Table>
  )
}

/** The name and the last characters of a key, which may be deleted. */
function KeyOf({ item }: { item: RequestsProps['keys'][number] | undefined }) {
  if (item === undefined) return <span class="muted">deleted key</span>
  return (
    <span>
      <bdi safe>{item.name}</bdi> <code safe>{`…${item.lastFour}`}</code>
    </span>
  )
}
