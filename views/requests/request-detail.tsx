import { escapeHtml } from '@kitajs/html'

import type { User } from '../../src/core/accounts/ports.ts'
import type { KeyEnd } from '../../src/core/accounts/key-end.ts'
import type { RestrictionRefusal } from '../../src/core/accounts/key-settings.ts'
import type { Phase, RequestDetails } from '../../src/core/fetch/summary.ts'
import type { FailureCause } from '../../src/core/errors.ts'
import type { LoggedRequest } from '../../src/core/usage/request-log.ts'
import { adviceOn } from '../ui/advice.ts'
import phaseNames from './phases.json'
import { requestsUrl, urlText } from './request-links.ts'
import { Badge, StatusBadge } from '../ui/badge.tsx'
import { CodeBlock } from '../ui/code.tsx'
import { Detail } from '../ui/detail.tsx'
import { adminUserPath } from '../admin/users.tsx'
import { reasonText, wallText } from '../ui/failures.tsx'
import { TextLink } from '../ui/text.tsx'
import { KeyLink, keyPath, type NamedKey } from '../ui/key-table.tsx'
import { ButtonLink } from '../ui/button-link.tsx'
import { latencyText, pluralized } from '../ui/number.ts'
import { Timestamp } from '../ui/time.tsx'

export interface OpenedRequest {
  request: LoggedRequest
  details: RequestDetails
  /** Why the page was rendered or not; '' when unknown. */
  methodReason: string
  /** Null if the key was deleted. */
  apiKey: NamedKey | null
  cause: FailureCause | null
}

const PHASES: Record<Phase, string> = phaseNames

/** `listHref` is the URL of the list without the request. */
export function RequestDetail({ listHref, ...opened }: OpenedRequest & { listHref: string }) {
  const url = urlText(opened.request)
  return (
    <section id="request" class="panel" aria-labelledby="request-title">
      <div class="panel-head">
        <h2 id="request-title">Request</h2>
        <a href={escapeHtml(listHref)} data-pane="request">
          Close
        </a>
      </div>
      <RequestResult {...opened} />
      {url !== '' && <ButtonLink kind="small" href={playgroundUrl(url)} text="Open in playground" />}
      <h3>Request ID</h3>
      <CodeBlock code={opened.request.requestId} />
      <p class="hint">
        The <code>X-Request-Id</code> of the response, which the operator finds in the log of the server.
      </p>
    </section>
  )
}

export interface RequestResultProps extends OpenedRequest {
  /** The user, for operators. */
  owner?: Pick<User, 'id' | 'email'>
}

export function RequestResult({ request, details, methodReason, apiKey, cause, owner }: RequestResultProps) {
  const { atMs, status, reason, cache, latencyMs, method, format } = request
  const url = urlText(request)
  const durations = Object.entries(details.phases ?? {}) as [Phase, number][]
  const phases = durations.map(
    ([phase, ms]) => `${PHASES[phase]} ${latencyText(ms)}${phase === details.unfinished ? ' (not finished)' : ''}`,
  )
  return (
    <>
      {cause !== null && (
        <div class="callout bad">
          <p class="callout-title" safe>{`Failed: ${reasonText(reason)}`}</p>
          <Advice cause={cause} keyId={owner ? undefined : apiKey?.id} />
        </div>
      )}
      <dl class="details">
        <Detail name="Time">
          <Timestamp ms={atMs} />
        </Detail>
        <Detail name="Status">
          <StatusBadge status={status} /> <span safe>{`${method} ${format ?? '/v1/metadata'}`}</span>
        </Detail>
        <Detail name="Result">
          <TextLink href={owner ? undefined : requestsUrl({ result: reason })} text={reasonText(reason)} />
        </Detail>
        {owner !== undefined && (
          <Detail name="User">
            <TextLink href={adminUserPath(owner.id)} text={owner.email} />
          </Detail>
        )}
        <Detail name="Key">
          {apiKey === null ? (
            <span class="muted">deleted key</span>
          ) : (
            <KeyLink item={apiKey} href={owner ? `${adminUserPath(owner.id)}#keys` : keyPath(apiKey.id)} />
          )}
        </Detail>
        <Detail name="URL">{url === '' ? <span class="muted">not logged</span> : <code safe>{url}</code>}</Detail>
        <Detail name="Cache" text={cacheText(cache, details)} />
        {details.fetchMethod !== undefined && (
          <Detail name="Method">
            <Badge tone="accent" text={details.fetchMethod} /> <span safe>{methodReason}</span>
          </Detail>
        )}
        {details.ignoredParameters !== undefined && (
          <Detail name="Ignored parameters">
            <code safe>{details.ignoredParameters}</code> <span>The API has no parameters with these names.</span>
          </Detail>
        )}
        {details.interstitial !== undefined && <Detail name="Site sent" text={`a ${wallText(details.interstitial)}`} />}
        <Detail name="Latency">
          <span safe>{latencyText(latencyMs)}</span>
          {(details.redirects ?? 0) > 0 && <span safe>{`, ${pluralized(details.redirects!, 'redirect')}`}</span>}
        </Detail>
        {phases.length > 0 && <Detail name="Phases" text={phases.join(' · ')} />}
      </dl>
    </>
  )
}

/** The form of the playground with the URL. The log has neither its scheme nor its query. */
const playgroundUrl = (url: string) => `/playground?${new URLSearchParams({ url: `https://${url}` })}`

function cacheText(cache: LoggedRequest['cache'], { cacheLayer }: RequestDetails): string {
  if (cache === 'MISS') return 'fetched'
  if (cache === null) return '–'
  return cacheLayer === undefined ? 'from cache' : `from cache (${cacheLayer})`
}

const RESTRICTION_REFUSALS: Record<RestrictionRefusal, true> = {
  host_not_allowed: true,
  client_not_allowed: true,
  origin_not_allowed: true,
}

/** The kinds of requests whose key no longer works. */
const ENDED_KEYS: Record<`key_${KeyEnd}`, true> = {
  key_expired: true,
  key_rotated: true,
  key_deactivated: true,
  key_deleted: true,
}

function Advice({ cause, keyId }: { cause: FailureCause; keyId: string | undefined }) {
  if (Object.hasOwn(RESTRICTION_REFUSALS, cause.kind)) {
    return (
      <p>
        A restriction of the key refused it.{' '}
        {keyId !== undefined && <a href={keyPath(keyId)}>Change the key’s restrictions</a>}
      </p>
    )
  }
  const advice = Object.hasOwn(ENDED_KEYS, cause.kind)
    ? 'Send a key that works. The page of this key names its successor, or rotates it.'
    : cause.kind === 'invalid_request'
      ? 'A parameter was missing or invalid; the response named it.'
      : adviceOn(cause)
  return advice === null ? '' : <p safe>{advice}</p>
}
