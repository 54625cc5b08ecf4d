import { escapeHtml } from '@kitajs/html'

import type { LoggedRequest } from '../../src/core/usage/request-log.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { reasonText } from '../ui/failures.tsx'
import { Icon } from '../ui/icon.tsx'
import type { NamedKey } from '../ui/key-table.tsx'
import { latencyText } from '../ui/number.ts'
import { InlineText } from '../ui/text.tsx'
import { RelativeTime, RowTime } from '../ui/time.tsx'
import { urlText } from './request-links.ts'

export interface RequestRowsProps {
  requests: readonly LoggedRequest[]
  href: (requestId: string) => string
  /** The keys of the requests, without those that were deleted; null does not show them. */
  keys: readonly NamedKey[] | null
  /** Times are relative to this one; null shows times of day. */
  nowMs: number | null
  /** The request that is shown beside the list. */
  openedId?: string | undefined
}

/** Requests in rows of one line, or two where they are narrow. */
export function RequestRows({ requests, href, keys, nowMs, openedId }: RequestRowsProps) {
  const keyOf = new Map(keys?.map((key) => [key.id, key]))
  return (
    <ul class="rows requests">
      {requests.map((request) => (
        <li>
          <StatusBadge status={request.status} />
          <a
            class="cut"
            href={escapeHtml(href(request.requestId))}
            data-pane="request"
            aria-current={request.requestId === openedId ? 'true' : undefined}
          >
            <RequestName request={request} />
          </a>
          <span class="muted parts">
            {keys !== null && <KeyOf item={keyOf.get(request.keyId)} />}
            <span class="number">
              {request.cache === 'HIT' && <Icon name="zap" />} {request.cache === 'HIT' && 'cached '}
              {escapeHtml(latencyText(request.latencyMs))}
            </span>
            {nowMs === null ? <RowTime ms={request.atMs} /> : <RelativeTime ms={request.atMs} nowMs={nowMs} />}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** `ok`, or why the request failed; then the URL if it is logged, and a method or format that is not the usual one. */
function RequestName({ request }: { request: LoggedRequest }) {
  const { reason, method, format } = request
  const url = urlText(request)
  const call = method === 'GET' ? (format ?? '') : `${method} ${format ?? ''}`
  return (
    <>
      {(reason !== 'ok' || url === '') && <InlineText class="result" text={reasonText(reason)} />}{' '}
      <InlineText text={url} /> <InlineText class="muted" text={call} />
    </>
  )
}

/** `item` is undefined for a deleted key. */
function KeyOf({ item }: { item: NamedKey | undefined }) {
  if (item === undefined) return <span class="cut">deleted key</span>
  return (
    <span class="cut">
      <code safe>{`…${item.lastFour}`}</code> <bdi safe>{item.name}</bdi>
    </span>
  )
}
