import { Html, type PropsWithChildren } from '@elysiajs/html'

import type { Hop } from '../../src/core/trace.ts'
import { bytesText } from '../ui/number.ts'
import { cut } from './card-text.ts'

/** Addresses and texts of a hop are cut: the page shows the way, the log holds it whole. */
const MAX_TEXT = 300
const MAX_ADDRESSES = 8

const BY: Record<Hop['by'], string> = {
  caller: 'asked for',
  redirect: 'redirected to',
  refresh: 'sent on by the page to',
  'retry as browser': 'asked again as a browser',
}

const STOPPED: Record<NonNullable<Hop['stopped']>, string> = {
  end: 'to the end',
  'head complete': 'until its head had said enough',
  cap: 'up to the size limit',
  'not a page': 'not read, as it is not a page',
  'broken off': 'until the server broke off',
}

const RESOLVED_BY: Record<NonNullable<Hop['resolvedBy']>, string> = {
  literal: 'as the URL has it',
  'loopback name': 'a name of this machine',
  'hosts file': 'from the hosts file',
  dns: 'from DNS',
  cache: 'from DNS a moment ago',
}

/** Each request on the way to the page and what came of it. */
export function Journey({ hops }: { hops: readonly Hop[] }) {
  return (
    <ol class="hops">
      {hops.map((hop) => (
        <li>
          <p>
            <Status hop={hop} />{' '}
            <span class="muted" safe>
              {BY[hop.by]}
            </span>{' '}
            <code safe>{cut(hop.url, MAX_TEXT)}</code>
          </p>
          {hop.isDowngrade && <p class="warning">From https to http: the way was no longer protected.</p>}
          <dl class="details">
            <Addresses hop={hop} />
            {hop.tls !== undefined && <Detail name="TLS" value={hop.tls} />}
            {hop.contentType !== undefined && <Detail name="Type" value={cut(hop.contentType, MAX_TEXT)} />}
            {hop.bodyBytes !== undefined && <Detail name="Read" value={sizeText(hop)} />}
            {hop.location !== undefined && <Detail name="Leads to" value={cut(hop.location, MAX_TEXT)} />}
            {hop.cookiesSet.length > 0 && (
              <Detail name="Cookies set" value={cut(hop.cookiesSet.join(', '), MAX_TEXT)} />
            )}
            {hop.cookiesSent.length > 0 && (
              <Detail name="Cookies sent" value={cut(hop.cookiesSent.join(', '), MAX_TEXT)} />
            )}
            {hop.failure !== undefined && <Detail name="Failed" value={cut(hop.failure, MAX_TEXT)} />}
          </dl>
        </li>
      ))}
    </ol>
  )
}

function Status({ hop }: { hop: Hop }) {
  if (hop.status === undefined) return <span class="badge bad">no answer</span>
  const tone = hop.status >= 400 ? 'bad' : hop.status >= 300 ? 'accent' : 'good'
  return (
    <span class={`badge ${tone}`} safe>
      {String(hop.status)}
    </span>
  )
}

function sizeText({ bodyBytes = 0, wireBytes, contentEncoding, stopped }: Hop): string {
  const wire = wireBytes === undefined ? '' : `, ${bytesText(wireBytes)} on the wire`
  const encoding = !contentEncoding ? '' : ` as ${cut(contentEncoding, MAX_TEXT)}`
  return `${bytesText(bodyBytes)}${stopped === undefined ? '' : ` ${STOPPED[stopped]}`}${wire}${encoding}`
}

function Addresses({ hop }: { hop: Hop }) {
  if (hop.addresses.length === 0) return null
  const connected = hop.attempts.find(({ error }) => error === null)?.address
  return (
    <Row name="Address">
      <ul class="addresses">
        {hop.addresses.slice(0, MAX_ADDRESSES).map(({ address, verdict, refusal }) => (
          <li>
            <code safe>{address}</code>{' '}
            <span class={refusal === null ? 'badge good' : 'badge bad'} safe>
              {(refusal ?? verdict).replaceAll('_', ' ')}
            </span>{' '}
            {address === connected && <span class="muted">connected</span>}
            <Attempt hop={hop} address={address} />
          </li>
        ))}
      </ul>
      {hop.resolvedBy !== undefined && (
        <span class="muted" safe>
          {RESOLVED_BY[hop.resolvedBy]}
        </span>
      )}
    </Row>
  )
}

function Attempt({ hop, address }: { hop: Hop; address: string }) {
  const failed = hop.attempts.find((attempt) => attempt.address === address && attempt.error !== null)
  if (!failed) return null
  return (
    <span class="error" safe>
      {cut(failed.error ?? '', MAX_TEXT)}
    </span>
  )
}

function Detail({ name, value }: { name: string; value: string }) {
  return (
    <Row name={name}>
      <span safe>{value}</span>
    </Row>
  )
}

function Row({ name, children }: PropsWithChildren<{ name: string }>) {
  return (
    <div>
      <dt safe>{name}</dt>
      <dd>{children as 'safe'}</dd>
    </div>
  )
}
