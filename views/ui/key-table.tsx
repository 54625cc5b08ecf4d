import { Html } from '@elysiajs/html'

import { Confirm } from './form.tsx'
import { count } from './number.ts'
import { Ago, DateTime } from './time.tsx'

/** A key as lists show it. */
export interface KeyItem {
  id: string
  name: string
  lastFour: string
  createdAtMs: number
  lastUsedAtMs: number | null
  /** Answers charged this month. */
  requestsThisMonth: number
  /** Null while the key is active. */
  deactivatedAtMs: number | null
}

export interface KeyTableProps {
  /** What the table is, for those who hear it: `Active keys`. */
  caption: string
  keys: readonly KeyItem[]
  csrf: string
  nowMs: number
  /** Where a key is deactivated. */
  deactivate: (keyId: string) => string
}

/** Active keys first, the newest of each on top. */
export function inOrder(keys: readonly KeyItem[]): KeyItem[] {
  const isOff = (key: KeyItem) => Number(key.deactivatedAtMs !== null)
  return keys.toSorted((a, b) => isOff(a) - isOff(b) || b.createdAtMs - a.createdAtMs)
}

/** Keys with a way to deactivate each; rows become cards where the page is narrow. */
export function KeyTable({ caption, keys, csrf, nowMs, deactivate }: KeyTableProps) {
  return (
    <table class="cards">
      <caption class="unseen" safe>
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
          <th scope="col">State</th>
          <th scope="col">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr class={key.deactivatedAtMs === null ? undefined : 'off'}>
            <th scope="row" class="name" safe>
              {key.name}
            </th>
            <td data-label="Key">
              <code safe>{`…${key.lastFour}`}</code>
            </td>
            <td data-label="Created">
              <DateTime ms={key.createdAtMs} />
            </td>
            <td data-label="Last used">
              <Ago ms={key.lastUsedAtMs} nowMs={nowMs} />
            </td>
            <td data-label="This month" class="number" safe>
              {count(key.requestsThisMonth)}
            </td>
            <td data-label="State">
              {key.deactivatedAtMs === null ? (
                <span class="badge good">Active</span>
              ) : (
                <span class="badge">Deactivated</span>
              )}
            </td>
            <td class="act">
              {key.deactivatedAtMs === null && (
                <Confirm
                  action={deactivate(key.id)}
                  csrf={csrf}
                  label="Deactivate"
                  subject={`key ${key.name}`}
                  question="Requests with this key get 401 from now on. It cannot be made active again."
                  confirm="Deactivate for good"
                />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
