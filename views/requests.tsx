import { escapeHtml } from '@kitajs/html'

import type { LoggedRequest, RequestFilter, RequestSummary } from '../src/core/usage/request-log.ts'
import { PagedList, type Paging } from './ui/pager.tsx'
import { RequestFilterForm, type RequestFilterFormProps } from './requests/request-filter-form.tsx'
import { RequestIdForm } from './requests/request-id-form.tsx'
import { REQUESTS_PATH, requestsUrl, requestUrl } from './requests/request-links.ts'
import { type Frame, Section, Shell } from './shell.tsx'
import { StatusBadge } from './ui/badge.tsx'
import { ButtonLink } from './ui/button-link.tsx'
import { FailingHosts, FailureReasons, reasonText } from './ui/failures.tsx'
import { Icon } from './ui/icon.tsx'
import { Detail } from './ui/detail.tsx'
import { PostForm } from './ui/form.tsx'
import { countText, latencyText, percentilesText, percentText } from './ui/number.ts'
import { Timestamp } from './ui/time.tsx'
import { Table, TextCell } from './ui/table.tsx'

/** `keys` includes deactivated and expired keys. */
export interface RequestsProps extends RequestFilterFormProps {
  frame: Frame
  /** One page of the matching requests, newest first. */
  requests: LoggedRequest[]
  /** Of all matching requests. */
  summary: RequestSummary
  paging: Paging
  /** The id of a request that was not found; null if none was searched. */
  missingId: string | null
  /** Whether host and path are logged. */
  logsUrls: boolean
}

export function RequestsPage(props: RequestsProps) {
  const { frame, filter, requests, summary, paging, missingId, logsUrls } = props
  const missing = missingId === null ? '' : 'No request with this ID in the log of your keys.'
  const href = (page: number) => requestsUrl(filter, { page: String(page) })
  const filtered = (more: Partial<RequestFilter>) => requestsUrl({ ...filter, ...more })
  const isFiltered = requestsUrl(filter) !== REQUESTS_PATH
  return (
    <Shell frame={frame} title="Requests" description="The latest API requests of your keys.">
      <h1>Requests</h1>
      <p class="lead">
        {filter.keyId === null
          ? 'The last 1,000 API requests of your keys, at most 7 days old. Select a key or a day to see its last 1,000.'
          : 'The last 1,000 API requests of this key, at most 7 days old.'}
      </p>
      <RequestIdForm action={REQUESTS_PATH} id={missingId ?? ''} error={missing} />
      <Section id="summary" title="Summary" class="panel">
        <RequestFilterForm {...props} />
        <dl class="stats">
          <Detail name="Requests" text={countText(summary.total)} />
          <Detail name="Failed" text={percentText(summary.failed, summary.total)} />
          <Detail name="Fetched, p50 / p95" text={percentilesText(summary.fetched)} />
          <Detail name="From cache, p50 / p95" text={percentilesText(summary.cached)} />
        </dl>
        <p class="hint">
          Latency of successful requests, until the response was ready. This is a sample: at most 100 requests per
          second and account are logged.
        </p>
      </Section>
      {summary.failed > 0 && (
        <Section id="reasons" title="Failures by reason" class="panel">
          <FailureReasons failures={summary.failuresByReason} href={(reason) => filtered({ result: reason })} />
        </Section>
      )}
      <section aria-labelledby="log">
        <div class="panel-head">
          <h2 id="log">Log</h2>
          {summary.total > 0 && (
            <ButtonLink
              kind="small"
              href={requestsUrl(filter, {}, `${REQUESTS_PATH}.csv`)}
              text="Download as CSV"
              download="urlmeta-requests.csv"
            />
          )}
        </div>
        <PagedList paging={paging} href={href}>
          {requests.length > 0 ? (
            <RequestTable {...props} />
          ) : isFiltered ? (
            <p class="empty">
              No matching requests. <a href={REQUESTS_PATH}>Clear filters</a>
            </p>
          ) : (
            <p class="empty">No requests. They appear here about a second after they finish.</p>
          )}
        </PagedList>
      </section>
      {summary.failuresByHost.length > 0 && (
        <Section id="hosts" title="Failures by host">
          <FailingHosts hosts={summary.failuresByHost} nowMs={frame.nowMs} href={(host) => filtered({ host })} />
        </Section>
      )}
      <Section id="urls" title="URL logging" class="panel">
        <p>
          {logsUrls
            ? 'Host and path of requested URLs are logged, without the query. Disabling this deletes the URLs already logged.'
            : 'Requested URLs are not logged. When enabled, host and path are logged, without the query.'}
        </p>
        <PostForm action="/usage/requests/urls" csrf={frame.csrf}>
          <input type="hidden" name="log" value={logsUrls ? 'false' : 'true'} />
          <button class="button">{logsUrls ? 'Disable URL logging' : 'Enable URL logging'}</button>
        </PostForm>
      </Section>
    </Shell>
  )
}

/** Long ids are cut in the middle. */
const shortId = (id: string): string => (id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`)

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
            <a href={escapeHtml(requestUrl(request.requestId))}>
              <Timestamp ms={request.atMs} />
            </a>{' '}
            <code class="muted" title={escapeHtml(request.requestId)} safe>
              {shortId(request.requestId)}
            </code>
          </th>
          <td data-label="Key" class="text">
            <KeyOf item={keyOf.get(request.keyId)} />
          </td>
          <td data-label="Status">
            <span>
              <StatusBadge status={request.status} /> {request.method !== 'GET' && <span safe>{request.method}</span>}{' '}
              {request.format !== null && <span safe>{request.format}</span>}
            </span>
          </td>
          <TextCell label="Result" text={reasonText(request.reason)} />
          <td data-label="Cache">
            <span>
              {request.cache === 'HIT' && <Icon name="zap" />} {escapeHtml(request.cache?.toLowerCase() ?? '–')}
            </span>
          </td>
          <TextCell label="Latency" text={latencyText(request.latencyMs)} class="number" />
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

/** `item` is undefined for a deleted key. */
function KeyOf({ item }: { item: RequestsProps['keys'][number] | undefined }) {
  if (item === undefined) return <span class="muted">deleted key</span>
  return (
    <span>
      <bdi safe>{item.name}</bdi> <code safe>{`…${item.lastFour}`}</code>
    </span>
  )
}
