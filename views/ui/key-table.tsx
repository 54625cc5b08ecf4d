import { escapeHtml } from '@kitajs/html'

import type { ApiKey } from '../../src/core/accounts/ports.ts'
import type { KeyState } from '../../src/core/accounts/key-expiry.ts'
import type { Frame } from '../shell.tsx'
import { Badge } from './badge.tsx'
import { Confirm } from './form.tsx'
import { RelativeTime, DateTime } from './time.tsx'
import { DateCell, NumberCell, PartsCell, Table } from './table.tsx'

/** The parts of a key by which its owner recognizes it. */
export type NamedKey = Pick<ApiKey, 'id' | 'name' | 'lastFour'>

export interface KeyItem extends NamedKey, Pick<ApiKey, 'createdAtMs' | 'expiresAtMs'> {
  lastUsedAtMs: number | null
  requestsThisMonth: number
  state: KeyState
  /** Whether the key was rotated: it has a successor and can only be deactivated. */
  isReplaced: boolean
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
        <tr class={key.state === 'active' ? undefined : 'off'}>
          <th scope="row" class="name">
            {href === undefined ? (
              <KeyName name={key.name} />
            ) : (
              <a href={escapeHtml(href(key.id))}>
                <KeyName name={key.name} />
              </a>
            )}
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
            {key.state === 'active' && (
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

export function KeyLink({ item: { id, name, lastFour } }: { item: NamedKey }) {
  return (
    <a href={keyPath(id)}>
      <bdi safe>{name}</bdi> <code safe>{`…${lastFour}`}</code>
    </a>
  )
}

/** Pairs of value and text for the options of a `Select`. */
export const keyOptions = (keys: readonly NamedKey[]) =>
  keys.map(({ id, name, lastFour }) => [id, `${name} …${lastFour}`])

/** A key's name on one line. A longer name is truncated and has the full text as its title. */
export function KeyName({ name }: { name: string }) {
  return (
    <span class="cut" dir="auto" title={escapeHtml(name)} safe>
      {name}
    </span>
  )
}

export function KeyStatus({ item, isOwnerSuspended = false }: { item: KeyItem; isOwnerSuspended?: boolean }) {
  if (item.state === 'deactivated') return <Badge text="Deactivated" />
  if (item.state === 'expired') return <Badge text={item.isReplaced ? 'Replaced' : 'Expired'} />
  item.state satisfies 'active'
  if (isOwnerSuspended) return <Badge tone="bad" text="Suspended" />
  const { expiresAtMs, expiresSoon, isReplaced } = item
  if (expiresAtMs === null) return <Badge tone="good" text="Active" />
  return (
    <>
      {isReplaced && <Badge tone="accent" text="Replaced" />}
      {!isReplaced &&
        (expiresSoon ? <Badge tone="warn" text="Expires soon" /> : <Badge tone="good" text="Active" />)}{' '}
      <span class="muted">
        {expiresSoon ? 'on' : 'until'} <DateTime ms={expiresAtMs - 1} />
      </span>
    </>
  )
}
