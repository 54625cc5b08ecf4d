import { escapeHtml } from '@kitajs/html'

import type { ApiKey } from '../../src/core/accounts/ports.ts'
import type { EndedKey, KeyEnd } from '../../src/core/accounts/key-end.ts'
import type { Frame } from '../shell.tsx'
import { Badge, type BadgeProps } from './badge.tsx'
import { Confirm } from './form.tsx'
import { DateTime, RelativeTime, Timestamp } from './time.tsx'
import { pluralized } from './number.ts'
import { DateCell, NumberCell, PartsCell, Table } from './table.tsx'

/** The parts of a key by which its owner recognizes it. */
export type NamedKey = Pick<ApiKey, 'id' | 'name' | 'lastFour'>

/** A key that replaces another one. It is created by the rotation. */
export type SuccessorKey = NamedKey & Pick<ApiKey, 'createdAtMs'> & Pick<RejectedKey, 'ended'>

type RejectionFields = 'rejectedRequests' | 'firstRejectedAtMs' | 'lastRejectedAtMs'

/** A key, and why and since when it no longer works; null while it works. */
export interface RejectedKey extends NamedKey, Pick<ApiKey, RejectionFields | 'replacedById'> {
  ended: EndedKey | null
}

export interface KeyItem extends RejectedKey, Pick<ApiKey, 'createdAtMs' | 'expiresAtMs'> {
  lastUsedAtMs: number | null
  requestsThisMonth: number
  /** Whether the key is active, was not rotated and expires within a week. */
  expiresSoon: boolean
}

export interface KeyTableProps {
  keys: readonly KeyItem[]
  frame: Pick<Frame, 'csrf' | 'nowMs'>
  /** Whether the owner is suspended, so that no key works. */
  isOwnerSuspended?: boolean
  /** The action URL that deactivates a key. */
  deactivate: (keyId: string) => string
  /** The URL of a key's page; without it, keys are not linked. */
  href?: (keyId: string) => string
}

export const keyPath = (id: string) => `/keys/${encodeURIComponent(id)}`

/** Rows become cards on narrow screens. */
export function KeyTable({ keys, frame, isOwnerSuspended = false, deactivate, href }: KeyTableProps) {
  return (
    <Table
      class="cards keys"
      caption="Keys"
      columns={['Name', 'Key', 'Created', 'Last used', { number: 'This month' }, 'Status', { hidden: 'Actions' }]}
    >
      {keys.map((key) => (
        <tr class={key.ended === null ? undefined : 'off'}>
          <th scope="row" class="name">
            <KeyName name={key.name} href={href?.(key.id)} />
          </th>
          <td data-label="Key">
            <code safe>{`…${key.lastFour}`}</code>
          </td>
          <DateCell label="Created" ms={key.createdAtMs} />
          <td data-label="Last used">
            <RelativeTime ms={key.lastUsedAtMs} nowMs={frame.nowMs} />
          </td>
          <NumberCell label="This month" value={key.requestsThisMonth} />
          <PartsCell label="Status">
            <KeyStatus item={key} isOwnerSuspended={isOwnerSuspended} />
          </PartsCell>
          <td class="act">
            {key.ended === null && (
              <Confirm
                action={deactivate(key.id)}
                csrf={frame.csrf}
                label="Deactivate"
                subject={`key ${key.name}`}
                question="Further requests with this key are rejected (HTTP 401). This cannot be undone."
                confirm="Deactivate permanently"
              />
            )}
          </td>
        </tr>
      ))}
    </Table>
  )
}

export function KeyLink({ item, href = keyPath(item.id) }: { item: NamedKey; href?: string | undefined }) {
  return (
    <a href={href}>
      <bdi safe>{item.name}</bdi> <code safe>{`…${item.lastFour}`}</code>
    </a>
  )
}

const ENDINGS = {
  expired: 'expired on',
  rotated: 'was rotated and worked until',
  deactivated: 'was deactivated on',
  deleted: 'was deleted on',
} as const satisfies Record<KeyEnd, string>

/**
 * `expired on 28 Nov 2026, 23:59:59 UTC: 3 requests rejected since 29 Nov 2026, 15:40:00 UTC, the latest 2 hours ago.`;
 * nothing for a key that works.
 */
export function Rejections({ item, nowMs }: { item: RejectedKey; nowMs: number }) {
  const { ended, rejectedRequests, firstRejectedAtMs, lastRejectedAtMs } = item
  if (ended === null) return ''
  return (
    <span>
      {ENDINGS[ended.end]} <Timestamp ms={ended.endedAtMs - 1} />
      {firstRejectedAtMs !== null && (
        <span>
          : <strong safe>{pluralized(rejectedRequests, 'request')}</strong> rejected since{' '}
          <Timestamp ms={firstRejectedAtMs} />, the latest <RelativeTime ms={lastRejectedAtMs} nowMs={nowMs} />
        </span>
      )}
      .
    </span>
  )
}

/** `Replaced by cron job …c0de on 28 Nov 2026: send that key instead.`, unless that key has ended too. */
export const Replaced = ({ by }: { by: SuccessorKey }) => (
  <span>
    Replaced by <KeyLink item={by} /> on <DateTime ms={by.createdAtMs} />
    {by.ended === null ? ': send that key instead.' : ', which no longer works either.'}
  </span>
)

/** A key can be rotated once, also after it has ended. */
export const isRotatable = ({ replacedById, ended }: RejectedKey) => replacedById === null && ended?.end !== 'deleted'

/** Pairs of value and text for the options of a `Select`. */
export const keyOptions = (keys: readonly NamedKey[]) =>
  keys.map(({ id, name, lastFour }) => [id, `${name} …${lastFour}`])

/**
 * A key's name on one line, with a link if there is one. A longer name is truncated and has the full text as its title.
 */
export function KeyName({ name, href }: { name: string; href: string | undefined }) {
  return (
    <tag of={href === undefined ? 'span' : 'a'} href={href} class="cut" dir="auto" title={escapeHtml(name)} safe>
      {name}
    </tag>
  )
}

function badgeOf({ ended, replacedById, expiresSoon }: KeyItem): BadgeProps {
  if (ended?.end === 'rotated') return { text: 'Replaced' }
  if (ended !== null) return { text: `${ended.end[0]!.toUpperCase()}${ended.end.slice(1)}` }
  if (replacedById !== null) return { tone: 'accent', text: 'Replaced' }
  return expiresSoon ? { tone: 'warn', text: 'Expires soon' } : { tone: 'good', text: 'Active' }
}

export function KeyStatus({ item, isOwnerSuspended = false }: { item: KeyItem; isOwnerSuspended?: boolean }) {
  const { ended, expiresAtMs, expiresSoon } = item
  if (ended === null && isOwnerSuspended) return <Badge tone="bad" text="Suspended" />
  const endMs = ended?.endedAtMs ?? expiresAtMs
  if (endMs === null) return <Badge {...badgeOf(item)} />
  return (
    <>
      <Badge {...badgeOf(item)} />{' '}
      <span class="muted">
        {ended?.end === 'rotated' ? 'worked until' : ended !== null || expiresSoon ? 'on' : 'until'}{' '}
        <DateTime ms={endMs - 1} />
      </span>
    </>
  )
}
