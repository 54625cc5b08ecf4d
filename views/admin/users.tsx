import { escapeHtml } from '@kitajs/html'

import type { ListedUser, UserFilter } from '../../src/core/accounts/ports.ts'
import type { Plan } from '../../src/core/plan.ts'
import type { Frame } from '../shell.tsx'
import { Badge } from '../ui/badge.tsx'
import { Select } from '../ui/form.tsx'
import { countText, pluralized } from '../ui/number.ts'
import { AdminShell } from './admin-shell.tsx'
import { PagedList, type Paging } from '../ui/pager.tsx'
import { DateCell, NumberCell, PartsCell, Table, TextCell } from '../ui/table.tsx'
import { ButtonLink } from '../ui/button-link.tsx'

export type AdminUserItem = Omit<ListedUser, 'logsUrls'> & {
  planLabel: string
  /** Requests of this month. */
  used: number
  monthLimit: number
  isOperator: boolean
}

export const adminUserPath = (userId: string) => `/admin/users/${encodeURIComponent(userId)}`

export type UserListFilter = UserFilter & { sort: 'newest' | 'usage' }

export interface AdminUsersProps {
  frame: Frame
  filter: UserListFilter
  plans: readonly Pick<Plan, 'name' | 'label'>[]
  users: AdminUserItem[]
  /** The number of matching users on all pages, at most `maxTotal`. */
  total: number
  maxTotal: number
  paging: Paging
}

export function AdminUsersPage({ frame, filter, plans, users, total, maxTotal, paging }: AdminUsersProps) {
  const { text, sort } = filter
  const plan = filter.plan ?? ''
  const status = filter.isSuspended === null ? '' : filter.isSuspended ? 'suspended' : 'active'
  const parameters = { q: text, plan, status, sort: sort === 'newest' ? '' : sort }
  const selected = Object.entries(parameters).filter(([, value]) => value !== '')
  const href = (page: number) => `/admin?${new URLSearchParams([...selected, ['page', String(page)]])}`
  const isFiltered = [text, plan, status].some((value) => value !== '')
  return (
    <AdminShell frame={frame} title="Users">
      <form action="/admin" class="filter" role="search" data-submit-on-change autocomplete="off">
        <label for="q" class="visually-hidden">
          Email or name
        </label>
        <input type="search" id="q" name="q" value={escapeHtml(text)} placeholder="Email or name" dir="auto" />
        <Select
          name="plan"
          label="Plan"
          value={plan}
          options={[['', 'All plans'], ...plans.map(({ name, label }) => [name, label])]}
        />
        <Select name="status" label="Status" value={status} options={STATUSES} />
        <Select name="sort" label="Order" value={sort} options={SORTS} />
        <button class="button">Show</button>
      </form>
      <p class="muted panel-head">
        <span safe>{total >= maxTotal ? `${countText(total)} users or more` : pluralized(total, 'user')}</span>
        {isFiltered && <a href="/admin">Show all users</a>}
        <ButtonLink kind="primary" href="/admin/invite" text="Invite a user" />
      </p>
      <PagedList paging={paging} href={href}>
        {users.length > 0 ? <UserTable users={users} /> : <p class="empty">No matches.</p>}
      </PagedList>
    </AdminShell>
  )
}

const STATUSES = [
  ['', 'All statuses'],
  ['active', 'Active'],
  ['suspended', 'Suspended'],
] as const

const SORTS = [
  ['newest', 'Newest first'],
  ['usage', 'Most requests this month'],
] as const

function UserTable({ users }: { users: AdminUserItem[] }) {
  return (
    <Table
      class="cards"
      caption="Users"
      columns={['User', 'Plan', { number: 'Keys' }, { number: 'This month' }, 'Created', 'Status']}
    >
      {users.map((user) => (
        <tr class={user.suspendedAtMs !== null ? 'off' : undefined}>
          <th scope="row" class="name">
            <a href={adminUserPath(user.id)}>
              <bdi safe>{user.email}</bdi>
            </a>
            {user.name !== null && (
              <bdi class="muted" safe>
                {user.name}
              </bdi>
            )}
          </th>
          <TextCell label="Plan" text={user.planLabel} />
          <NumberCell label="Keys" value={user.activeKeys} />
          <PartsCell label="This month" class="number">
            <span safe>{countText(user.used)}</span>{' '}
            <span class="muted" safe>{`of ${countText(user.monthLimit)}`}</span>
          </PartsCell>
          <DateCell label="Created" ms={user.createdAtMs} />
          <PartsCell label="Status">
            <UserState user={user} />
          </PartsCell>
        </tr>
      ))}
    </Table>
  )
}

export function UserState({ user }: { user: AdminUserItem }) {
  return (
    <>
      {user.suspendedAtMs !== null ? <Badge tone="bad" text="Suspended" /> : <Badge tone="good" text="Active" />}{' '}
      {user.isOperator && <Badge tone="accent" text="Operator" />}
    </>
  )
}
