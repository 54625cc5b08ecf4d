import { Html } from '@elysiajs/html'

import type { KeyState } from '../../src/core/key-settings.ts'
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
  state: KeyState
  /** When an active key stops working, or an expired one did; null for no expiry. */
  expiresAtMs: number | null
  /** Whether the key was rotated: it has a successor and can only be deactivated. */
  isReplaced: boolean
}

export interface KeyTableProps {
  /** The table's caption for screen readers: `Active keys`. */
  caption: string
  keys: readonly KeyItem[]
  csrf: string
  nowMs: number
  /** The action URL that deactivates a key. */
  deactivate: (keyId: string) => string
  /** The URL of a key's page; without it, keys are not linked. */
  href?: (keyId: string) => string
}

/** The path of the page of one of the viewer's keys. */
export function keyPath(id: string): string {
  return `/keys/${encodeURIComponent(id)}`
}

/** Active keys first, then ended ones, each newest first. */
export function activeFirst(keys: readonly KeyItem[]): KeyItem[] {
  const isOff = (key: KeyItem) => Number(key.state !== 'active')
  return keys.toSorted((a, b) => isOff(a) - isOff(b) || b.createdAtMs - a.createdAtMs)
}

/** Keys, each with a deactivate button. Rows become cards on narrow screens. */
export function KeyTable({ caption, keys, csrf, nowMs, deactivate, href }: KeyTableProps) {
  return (
    <table class="cards">
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
          <tr class={key.state === 'active' ? undefined : 'off'}>
            <th scope="row" class="name">
              {href === undefined ? (
                <span safe>{key.name}</span>
              ) : (
                <a href={Html.escapeHtml(href(key.id))} safe>
                  {key.name}
                </a>
              )}
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
              <span>
                <KeyStatus item={key} />
              </span>
            </td>
            <td class="act">
              {key.state === 'active' && (
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

/** The state of a key, and when it expires. */
export function KeyStatus({ item }: { item: KeyItem }) {
  if (item.state === 'deactivated') return <span class="badge">Deactivated</span>
  if (item.state === 'expired') return <span class="badge">Expired</span>
  return (
    <>
      {item.isReplaced ? <span class="badge accent">Rotated</span> : <span class="badge good">Active</span>}{' '}
      {item.expiresAtMs !== null && (
        <span class="muted">
          until <DateTime ms={item.expiresAtMs - 1} />
        </span>
      )}
    </>
  )
}
