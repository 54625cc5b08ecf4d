import { Html } from '@elysiajs/html'

import type { PlanName } from '../../src/core/plan.ts'
import type { Frame } from '../shell.tsx'
import { count, pluralized } from '../ui/number.ts'
import { DateTime } from '../ui/time.tsx'
import { AdminShell } from './admin-shell.tsx'
import { Pager, type Paging, MissingPageNotice } from './pager.tsx'

/** A user in the operators' list. */
export interface AdminUserItem {
  id: string
  email: string
  name: string | null
  plan: PlanName
  planLabel: string
  activeKeys: number
  usedThisMonth: number
  monthLimit: number
  createdAtMs: number
  /** Null unless the user is suspended. */
  suspendedAtMs: number | null
  isOperator: boolean
}

export interface AdminUsersProps {
  frame: Frame
  /** The search text, matched against emails and names; '' for all users. */
  query: string
  users: AdminUserItem[]
  /** Matching users on all pages. */
  total: number
  paging: Paging
}

/** All users with plan, keys and usage, newest first. */
export function AdminUsersPage({ frame, query, users, total, paging }: AdminUsersProps) {
  const search = query === '' ? '' : `q=${encodeURIComponent(query)}&`
  const href = (page: number) => `/admin?${search}page=${page}`
  return (
    <AdminShell frame={frame} title="Users">
      <div class="panel-head">
        <h1>Users</h1>
        <form action="/admin" class="inline" role="search">
          <label for="q" class="visually-hidden">
            Email or name
          </label>
          <input type="search" id="q" name="q" value={Html.escapeHtml(query)} placeholder="Email or name" />
          <button class="button">Search</button>
        </form>
      </div>
      <p class="muted" safe>
        {query === '' ? pluralized(total, 'user') : `${pluralized(total, 'user')} with “${query}” in email or name`}
      </p>
      {paging.page > paging.pages ? (
        <MissingPageNotice paging={paging} href={href} />
      ) : users.length === 0 ? (
        <p class="empty">
          {query === '' ? (
            <>
              No users yet. An account is created at the first sign-in, or by{' '}
              <code>urlmeta key create --email EMAIL</code>.
            </>
          ) : (
            <>
              No matches. <a href="/admin">Show all users</a>
            </>
          )}
        </p>
      ) : (
        <UserTable users={users} />
      )}
      <Pager paging={paging} href={href} />
    </AdminShell>
  )
}

function UserTable({ users }: { users: AdminUserItem[] }) {
  return (
    <table class="cards">
      <caption class="visually-hidden">Users</caption>
      <thead>
        <tr>
          <th scope="col">User</th>
          <th scope="col">Plan</th>
          <th scope="col" class="number">
            Keys
          </th>
          <th scope="col" class="number">
            This month
          </th>
          <th scope="col">Created</th>
          <th scope="col">Status</th>
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr class={user.suspendedAtMs !== null ? 'off' : undefined}>
            <th scope="row" class="name">
              <a href={`/admin/users/${encodeURIComponent(user.id)}`} dir="auto" safe>
                {user.email}
              </a>
              {user.name !== null && (
                <span class="muted" dir="auto" safe>
                  {user.name}
                </span>
              )}
            </th>
            <td data-label="Plan" safe>
              {user.planLabel}
            </td>
            <td data-label="Keys" class="number" safe>
              {count(user.activeKeys)}
            </td>
            <td data-label="This month" class="number">
              <span>
                <span safe>{count(user.usedThisMonth)}</span>{' '}
                <span class="muted" safe>{`of ${count(user.monthLimit)}`}</span>
              </span>
            </td>
            <td data-label="Created">
              <DateTime ms={user.createdAtMs} />
            </td>
            <td data-label="Status">
              <span>
                <UserState user={user} />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Suspended or active, and whether the user is an operator. */
export function UserState({ user }: { user: AdminUserItem }) {
  return (
    <>
      {user.suspendedAtMs !== null ? <span class="badge bad">Suspended</span> : <span class="badge good">Active</span>}{' '}
      {user.isOperator && <span class="badge accent">Operator</span>}
    </>
  )
}
