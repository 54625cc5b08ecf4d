import type { Latency, LoggedRequest, RequestFilter, RequestSummary } from '../src/core/usage/request-log.ts'
import { PagedList, type Paging } from './ui/pager.tsx'
import { type OpenedRequest, RequestDetail } from './requests/request-detail.tsx'
import { RequestFilterForm, type RequestFilterFormProps } from './requests/request-filter-form.tsx'
import { pageQuery, REQUESTS_PATH, requestsUrl, requestUrl } from './requests/request-links.ts'
import { RequestRows } from './requests/request-rows.tsx'
import { type Frame, Section, Shell } from './shell.tsx'
import { ButtonLink } from './ui/button-link.tsx'
import { FailingHosts } from './ui/failures.tsx'
import { PostForm } from './ui/form.tsx'
import { countText, latencyText, percentText, pluralized } from './ui/number.ts'
import { InlineText, TextLink } from './ui/text.tsx'

/** `keys` includes deactivated and expired keys. */
export interface RequestsProps extends RequestFilterFormProps {
  frame: Frame
  /** One page of the matching requests, newest first. */
  requests: readonly LoggedRequest[]
  /** Of all matching requests. */
  summary: RequestSummary
  paging: Paging
  /** The request that is shown beside the list, or instead of it where both do not fit; null for none. */
  opened: OpenedRequest | null
}

export function RequestsPage(props: RequestsProps) {
  const { frame, filter, requests, summary, paging, opened, keys, logsUrls } = props
  const filtered = (more: Partial<RequestFilter>) => requestsUrl({ ...filter, ...more })
  const { total, failed, searched } = summary
  const selected = total < searched ? `${countText(total)} of the last ` : ''
  const share = `${percentText(failed, total)} failed`
  return (
    <Shell
      frame={frame}
      title={opened === null ? 'Requests' : 'Request'}
      description="The latest API requests of your keys."
    >
      <div class="panel-head">
        <h1>Requests</h1>
        {total > 0 && (
          <ButtonLink
            kind="small"
            href={requestsUrl(filter, {}, `${REQUESTS_PATH}.csv`)}
            text="Download as CSV"
            download="urlmeta-requests.csv"
          />
        )}
      </div>
      <RequestFilterForm {...props} />
      <div class="log-columns">
        <section aria-label="Log">
          <p class="muted parts">
            <span safe>{selected + pluralized(searched, 'request')}</span>
            {failed > 0 && filter.result === 'all' && <TextLink href={filtered({ result: 'failed' })} text={share} />}
            <InlineText text={latencySummary('fetched in', summary.fetched)} />
            <InlineText text={latencySummary('from cache in', summary.cached)} />
          </p>
          <PagedList paging={paging} href={(page) => requestsUrl(filter, pageQuery(page))}>
            {requests.length > 0 ? (
              <RequestRows
                requests={requests}
                href={(id) => requestUrl(id, filter, paging.page)}
                keys={keys}
                nowMs={null}
                openedId={opened?.request.requestId}
              />
            ) : requestsUrl(filter) !== REQUESTS_PATH ? (
              <p class="empty">
                No matching requests. The playground is not logged.{' '}
                {!logsUrls && filter.text !== '' && 'Without URL logging, only IDs are found. '}
                <a href={REQUESTS_PATH}>Clear filters</a>
              </p>
            ) : (
              <p class="empty">No requests. They appear here about a second after they finish.</p>
            )}
          </PagedList>
          <p class="hint">
            The last 1,000 API requests of all keys, or of the selected key or day; at most 7 days old, and at most 100
            per second and account.
          </p>
          {summary.failuresByHost.length > 0 && (
            <Section id="hosts" title="Failures by host">
              <FailingHosts
                hosts={summary.failuresByHost}
                nowMs={frame.nowMs}
                href={(host) => filtered({ text: host })}
              />
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
        </section>
        {opened === null ? (
          <section id="request" hidden></section>
        ) : (
          <RequestDetail {...opened} listHref={requestsUrl(filter, pageQuery(paging.page))} />
        )}
      </div>
    </Shell>
  )
}

/** `fetched in 184 ms (p95 912 ms)`; '' without successful requests. */
function latencySummary(name: string, { p50, p95 }: Latency): string {
  return p50 === null || p95 === null ? '' : `${name} ${latencyText(p50)} (p95 ${latencyText(p95)})`
}
