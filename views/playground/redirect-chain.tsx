import type { Hop } from '../../src/core/fetch/trace.ts'
import { Badge, StatusBadge } from '../ui/badge.tsx'
import { Detail } from '../ui/detail.tsx'
import { decimalBytesText } from '../ui/number.ts'
import { InlineText } from '../ui/text.tsx'
import { truncate } from './card-text.ts'
import texts from './trace-texts.json'

/** Limits per hop, which bound the size of the page. */
const MAX_TEXT_CHARACTERS = 300
const MAX_ADDRESSES = 8

export function RedirectChain({ hops }: { hops: readonly Hop[] }) {
  return (
    <ol class="hops">
      {hops.map((hop) => (
        <li>
          <p>
            {hop.status === undefined ? <Badge tone="bad" text="no response" /> : <StatusBadge status={hop.status} />}{' '}
            <InlineText class="muted" text={texts.by[hop.by]} />{' '}
            <code safe>{truncate(hop.url, MAX_TEXT_CHARACTERS)}</code>
          </p>
          {hop.isDowngrade && <p class="warning">Redirected from https to http.</p>}
          <dl class="details">
            <Addresses hop={hop} />
            <TextDetail name="TLS" value={hop.tls} />
            <TextDetail name="Type" value={hop.contentType} />
            {hop.bodyBytes !== undefined && <Detail name="Size" text={sizeText(hop)} />}
            <TextDetail name="Location" value={hop.location} />
            <TextDetail name="Cookies set" value={hop.cookiesSet.join(', ')} />
            <TextDetail name="Cookies sent" value={hop.cookiesSent.join(', ')} />
            <TextDetail name="Failed" value={hop.failure} />
          </dl>
        </li>
      ))}
    </ol>
  )
}

function sizeText({ bodyBytes = 0, wireBytes, contentEncoding, stopped }: Hop): string {
  const wire = wireBytes === undefined ? '' : `, ${decimalBytesText(wireBytes)} transferred`
  const encoding = !contentEncoding ? '' : ` as ${truncate(contentEncoding, MAX_TEXT_CHARACTERS)}`
  return `${decimalBytesText(bodyBytes)}${wire}${encoding}${stopped === undefined ? '' : `, ${texts.stopped[stopped]}`}`
}

function Addresses({ hop }: { hop: Hop }) {
  if (hop.addresses.length === 0) return null
  const connected = hop.attempts.find(({ error }) => error === null)?.address ?? hop.keptConnectionTo
  return (
    <Detail name="Address">
      <ul class="addresses">
        {hop.addresses.slice(0, MAX_ADDRESSES).map(({ address, verdict, refusal }) => (
          <li>
            <code safe>{address}</code>{' '}
            <Badge tone={refusal === null ? 'good' : 'bad'} text={(refusal ?? verdict).replaceAll('_', ' ')} />{' '}
            {address === connected && <span class="muted">connected</span>}
            <Attempt hop={hop} address={address} />
          </li>
        ))}
      </ul>
      {hop.resolvedBy !== undefined && <InlineText class="muted" text={texts.resolvedBy[hop.resolvedBy]} />}
    </Detail>
  )
}

function Attempt({ hop, address }: { hop: Hop; address: string }) {
  const failed = hop.attempts.find((attempt) => attempt.address === address && attempt.error !== null)
  return <InlineText class="error" text={truncate(failed?.error ?? '', MAX_TEXT_CHARACTERS)} />
}

/** Shows nothing for an unknown value. */
function TextDetail({ name, value = '' }: { name: string; value: string | undefined }) {
  return value === '' ? null : <Detail name={name} text={truncate(value, MAX_TEXT_CHARACTERS)} />
}
