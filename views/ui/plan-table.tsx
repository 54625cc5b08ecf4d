import type { Limits, Plan } from '../../src/core/plan.ts'
import { Badge } from './badge.tsx'
import { webAddress, WebLink } from './web-link.tsx'
import { NumberCell, Table } from './table.tsx'

/** The limits of all plans. The limits of the user are highlighted, in a row of their own if some are the user's own. */
export function PlanTable({ plans, current }: { plans: readonly Plan[]; current: Limits | null }) {
  const rows: Limits[] = current?.own ? [...plans, current] : [...plans]
  return (
    <Table
      class="cards"
      caption="Plan limits"
      columns={['Plan', { number: 'Requests/min per key' }, { number: 'Requests/month' }, { number: 'Active keys' }]}
    >
      {rows.map((row) => (
        <tr class={row === current ? 'current' : undefined}>
          <th scope="row" class="name">
            {row.own ? 'Your limits' : <span safe>{row.label}</span>}{' '}
            {row.name === current?.name && !row.own && <Badge tone="accent" text="Current plan" />}
          </th>
          <NumberCell label="Requests/min per key" value={row.perMinute} />
          <NumberCell label="Requests/month" value={row.perMonth} />
          <NumberCell label="Active keys" value={row.maxKeys} />
        </tr>
      ))}
    </Table>
  )
}

export interface UpgradeProps {
  /** The target of the link; null shows "ask the operator" instead. */
  url: string | null
  viewer: { email: string; isOperator: boolean } | null
}

/** A link or instructions for upgrading. Operators change plans themselves. */
export function Upgrade({ url, viewer }: UpgradeProps) {
  if (viewer?.isOperator) {
    return (
      <span class="muted">
        Need more? <a href={`/admin?q=${encodeURIComponent(viewer.email)}`}>Change your plan or limits</a>, or the
        limits of the plans in the configuration.
      </span>
    )
  }
  if (url === null || webAddress(url) === null) {
    return <span class="muted">Need more? Ask the operator of this server to change your plan.</span>
  }
  return (
    <WebLink to={url} class="button">
      Upgrade plan
    </WebLink>
  )
}
