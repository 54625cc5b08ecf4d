import { Html } from '@elysiajs/html'

import { Confirm } from './form.tsx'
import { count } from './number.ts'
import { RelativeTime, DateTime } from './time.tsx'

/** A key in a list. */
export interface KeyItem {
  id: string
  name: string
  lastFour: string
  createdAtMs: number
  lastUsedAtMs: number | null
  /** Requests charged this month. */
  requestsThisMonth: number
  /** Null while the key is active. */
  deactivatedAtMs: number | null
}

export interface KeyTableProps {
  /** The table's caption for screen readers: `Active keys`. */
  caption: string
  keys: readonly KeyItem[]
  csrf: string
  nowMs: number
  /** Whether their owner is suspended, so that no key works. */
  isOwnerSuspended?: boolean
  /** The action URL that deactivates a key. */
  deactivate: (keyId: string) => string
}

/** Active keys first, then deactivated ones, each newest first. */
export function activeFirst(keys: readonly KeyItem[]): KeyItem[] {
  const isOff = (key: KeyItem) => Number(key.deactivatedAtMs !== null)
  return keys.toSorted((a, b) => isOff(a) - isOff(b) || b.createdAtMs - a.createdAtMs)
}

/** Keys, each with a deactivate button. Rows become cards on narrow screens. */
export function KeyTable({ caption, keys, csrf, nowMs, isOwnerSuspended = false, deactivate }: KeyTableProps) {
  return (
    <table class="cards keys">
      <caption class="visually-hidden" safe>
        {caption}
      </caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Key</th>
          <th scope="col">Created</th>
          <th scope="col">Last used</th>
          <th scope="col" class="number">
            This month
          </th>
          <th scope="col">Status</th>
          <th scope="col">
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr class={key.deactivatedAtMs === null ? undefined : 'off'}>
            <th scope="row" class="name">
              <KeyName name={key.name} />
            </th>
            <td data-label="Key">
              <code safe>{`…${key.lastFour}`}</code>
            </td>
            <td data-label="Created">
              <DateTime ms={key.createdAtMs} />
            </td>
            <td data-label="Last used">
              <RelativeTime ms={key.lastUsedAtMs} nowMs={nowMs} />
            </td>
            <td data-label="This month" class="number" safe>
              {count(key.requestsThisMonth)}
            </td>
            <td data-label="Status">
              <KeyState isActive={key.deactivatedAtMs === null} isOwnerSuspended={isOwnerSuspended} />
            </td>
            <td class="act">
              {key.deactivatedAtMs === null && (
                <Confirm
                  action={deactivate(key.id)}
                  csrf={csrf}
                  label="Deactivate"
                  subject={`key ${key.name}`}
                  question="Further requests with this key are rejected (HTTP 401). This cannot be undone."
                  confirm="Deactivate permanently"
                />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A key's name on one line; a longer one is cut, and is complete in its title. */
export function KeyName({ name }: { name: string }) {
  return (
    <span class="cut" dir="auto" title={Html.escapeHtml(name)} safe>
      {name}
    </span>
  )
}

function KeyState({ isActive, isOwnerSuspended }: { isActive: boolean; isOwnerSuspended: boolean }) {
  if (!isActive) return <span class="badge">Deactivated</span>
  if (isOwnerSuspended) return <span class="badge bad">Suspended</span>
  return <span class="badge good">Active</span>
}
