import type { User } from '../src/core/accounts/ports.ts'
import type { RestrictionRefusal } from '../src/core/accounts/key-settings.ts'
import type { Phase, RequestDetails } from '../src/core/fetch/summary.ts'
import type { FailureCause } from '../src/core/errors.ts'
import type { LoggedRequest } from '../src/core/usage/request-log.ts'
import type { ChallengeVendor } from '../src/core/walls/interstitial.ts'
import { adminUserPath } from './admin/users.tsx'
import { adviceOn } from './ui/advice.ts'
import { REQUESTS_PATH, requestsUrl } from './requests/request-links.ts'
import { type Frame, Section, Shell } from './shell.tsx'
import { Badge, StatusBadge } from './ui/badge.tsx'
import { CodeBlock } from './ui/code.tsx'
import { Detail } from './ui/detail.tsx'
import { reasonText } from './ui/failures.tsx'
import { TextLink } from './ui/text.tsx'
import { KeyLink, keyPath, type NamedKey } from './ui/key-table.tsx'
import { latencyText, pluralized } from './ui/number.ts'
import { Timestamp } from './ui/time.tsx'

export interface RequestItem {
  request: LoggedRequest
  details: RequestDetails
  /** Why the page was rendered or not; '' when unknown. */
  methodReason: string
  /** Null if the key was deleted. */
  apiKey: NamedKey | null
  cause: FailureCause | null
  /** The user, for operators. */
  owner?: Pick<User, 'id' | 'email'>
}

const PHASES: Record<Phase, string> = {
  dns: 'DNS',
  queue: 'Queue',
  connect: 'Connect',
  tls: 'TLS',
  firstByte: 'First byte',
  body: 'Body',
  oembed: 'oEmbed',
  render: 'Browser',
  shared: 'Fetch of another request',
}

export type RequestProps = RequestItem & { frame: Frame }

export function RequestPage({ frame, ...item }: RequestProps) {
  return (
    <Shell frame={frame} title="Request" description="One API request of your keys.">
      <p class="crumb">
        <a href={REQUESTS_PATH}>Requests</a>
      </p>
      <h1>Request</h1>
      <RequestResult {...item} />
      <Section id="id" title="Request ID" class="panel">
        <CodeBlock code={item.request.requestId} />
        <p class="hint">
          The <code>X-Request-Id</code> of the response, which the operator finds in the log of the server.
        </p>
      </Section>
    </Shell>
  )
}

export function RequestResult({ request, details, methodReason, apiKey, cause, owner }: RequestItem) {
  const { atMs, status, reason, cache, latencyMs, host, path, method, format } = request
  const ownerPath = owner && adminUserPath(owner.id)
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
      <Section id="result" title="Result" class="panel">
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
              <TextLink href={ownerPath} text={owner.email} />
            </Detail>
          )}
          <Detail name="Key">
            {apiKey === null ? <span class="muted">deleted key</span> : <KeyLink item={apiKey} href={ownerPath} />}
          </Detail>
          <Detail name="URL">
            {host === null ? <span class="muted">not logged</span> : <code safe>{`${host}${path ?? ''}`}</code>}
          </Detail>
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
          {details.interstitial !== undefined && (
            <Detail name="Site sent" text={interstitialText(details.interstitial)} />
          )}
          <Detail name="Latency">
            <span safe>{latencyText(latencyMs)}</span>
            {(details.redirects ?? 0) > 0 && <span safe>{`, ${pluralized(details.redirects!, 'redirect')}`}</span>}
          </Detail>
          {phases.length > 0 && <Detail name="Phases" text={phases.join(' · ')} />}
        </dl>
      </Section>
    </>
  )
}

function cacheText(cache: LoggedRequest['cache'], { cacheLayer }: RequestDetails): string {
  if (cache === 'MISS') return 'fetched'
  if (cache === null) return '–'
  return cacheLayer === undefined ? 'from cache' : `from cache (${cacheLayer})`
}

function interstitialText(interstitial: NonNullable<RequestDetails['interstitial']>): string {
  if (interstitial === 'consent' || interstitial === 'login') return `a ${interstitial} page`
  return `a bot challenge (${reasonText(interstitial satisfies ChallengeVendor)})`
}

const RESTRICTION_REFUSALS: Record<RestrictionRefusal, true> = {
  host_not_allowed: true,
  client_not_allowed: true,
  origin_not_allowed: true,
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
  const advice =
    cause.kind === 'invalid_request' ? 'A parameter was missing or invalid; the response named it.' : adviceOn(cause)
  return advice === null ? '' : <p safe>{advice}</p>
}
