import type { Plan, PlanName } from '../../src/core/plan.ts'
import { countText } from './number.ts'
import { webAddress, WebLink } from './web-link.tsx'

/** The limits of all plans. `current` is highlighted; null highlights none. */
export function PlanTable({ plans, current }: { plans: readonly Plan[]; current: PlanName | null }) {
  return (
    <table class="cards">
      <caption class="visually-hidden">Plan limits</caption>
      <thead>
        <tr>
          <th scope="col">Plan</th>
          <th scope="col" class="number">
            Requests/min per key
          </th>
          <th scope="col" class="number">
            Requests/month
          </th>
          <th scope="col" class="number">
            Active keys
          </th>
        </tr>
      </thead>
      <tbody>
        {plans.map((plan) => (
          <tr class={plan.name === current ? 'current' : undefined}>
            <th scope="row" class="name">
              <span safe>{plan.label}</span> {plan.name === current && <span class="badge accent">Current plan</span>}
            </th>
            <td data-label="Requests/min per key" class="number" safe>
              {countText(plan.perMinute)}
            </td>
            <td data-label="Requests/month" class="number" safe>
              {countText(plan.perMonth)}
            </td>
            <td data-label="Active keys" class="number" safe>
              {countText(plan.maxKeys)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export interface UpgradeProps {
  /** The target of the link; null when none is configured. */
  url: string | null
  viewer: { email: string; isOperator: boolean } | null
}

/** A link or instructions for upgrading. Operators change plans themselves. */
export function Upgrade({ url, viewer }: UpgradeProps) {
  if (viewer?.isOperator) {
    return (
      <span class="muted">
        Need more? <a href={`/admin?q=${encodeURIComponent(viewer.email)}`}>Change your plan</a>, or the limits of the
        plans in the configuration.
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
