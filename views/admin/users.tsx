import { escapeHtml } from '@kitajs/html'

import type { ListedUser } from '../../src/core/accounts/ports.ts'
import type { Frame } from '../shell.tsx'
import { CodeBlock } from '../ui/code.tsx'
import { PostForm, TextField } from '../ui/form.tsx'
import { countText, pluralized } from '../ui/number.ts'
import { DateTime, Timestamp } from '../ui/time.tsx'
import { AdminShell } from './admin-shell.tsx'
import { PagedList, type Paging } from './pager.tsx'
import { NumberCell, Table, TextCell } from '../ui/table.tsx'

/** A user in the operators' list. */
export type AdminUserItem = Omit<ListedUser, 'logsUrls'> & {
  planLabel: string
  usedThisMonth: number
  monthLimit: number
  isOperator: boolean
}

export interface AdminUsersProps {
  frame: Frame
  /** The search text, matched against emails and names; '' for all users. */
  query: string
  sort: 'newest' | 'usage'
  users: AdminUserItem[]
  /** Matching users on all pages. */
  total: number
  paging: Paging
  /** The invitation that was just created, whose link is shown only in this response, or why it failed; null otherwise. */
  invitation: { email: string; link: string | null; expiresAtMs: number; error: string } | null
}

/** All users with plan, keys and usage, and a form for invitations. */
export function AdminUsersPage({ frame, query, sort, users, total, paging, invitation }: AdminUsersProps) {
  const search = query === '' ? '' : `q=${encodeURIComponent(query)}&`
  const href = (page: number) => `/admin?${search}${sort === 'usage' ? 'sort=usage&' : ''}page=${page}`
  return (
    <AdminShell frame={frame} title="Users">
      <div class="panel-head">
        <h1>Users</h1>
        <form action="/admin" class="inline" role="search">
          <label for="q" class="visually-hidden">
            Email or name
          </label>
          <input type="search" id="q" name="q" value={escapeHtml(query)} placeholder="Email or name" />
          {sort === 'usage' && <input type="hidden" name="sort" value="usage" />}
          <button class="button">Search</button>
        </form>
      </div>
      {invitation !== null && <CreatedInvitation invitation={invitation} />}
      <p class="muted" safe>
        {query === '' ? pluralized(total, 'user') : `${pluralized(total, 'user')} with “${query}” in email or name`}
      </p>
      <ul class="tabs" aria-label="Order">
        {SORTS.map(({ name, label }) => (
          <li>
            <a href={escapeHtml(`/admin?${search}sort=${name}`)} aria-current={name === sort ? 'true' : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
      <PagedList paging={paging} href={href}>
        {users.length === 0 ? (
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
      </PagedList>
      <Invite frame={frame} invitation={invitation} />
    </AdminShell>
  )
}

const SORTS = [
  { name: 'newest', label: 'Newest' },
  { name: 'usage', label: 'Most requests this month' },
] as const

function CreatedInvitation({ invitation }: { invitation: NonNullable<AdminUsersProps['invitation']> }) {
  const { email, link, expiresAtMs } = invitation
  if (link === null) return null
  return (
    <section class="panel created" aria-labelledby="created">
      <h2 id="created" safe>{`Invitation for ${email}`}</h2>
      <p>
        <strong>Copy it now.</strong> You will not be able to see it again. It works once and expires at{' '}
        <Timestamp ms={expiresAtMs} />. Send it only to this person.
      </p>
      <CodeBlock code={link} />
    </section>
  )
}

function Invite({ frame, invitation }: Pick<AdminUsersProps, 'frame' | 'invitation'>) {
  const error = invitation?.error ?? ''
  return (
    <section class="panel" aria-labelledby="invite">
      <h2 id="invite">Invite a user</h2>
      <PostForm action="/admin/invite" csrf={frame.csrf} class="inline" label="Invite a user">
        <TextField
          name="email"
          label="Email"
          type="email"
          inputMode="email"
          value={error === '' ? '' : (invitation?.email ?? '')}
          error={error}
          hint="Creates a link that you send to the user yourself. No email is sent."
          isRequired
        />
        <button class="button">Create link</button>
      </PostForm>
    </section>
  )
}

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
            <a href={`/admin/users/${encodeURIComponent(user.id)}`} dir="auto" safe>
              {user.email}
            </a>
            {user.name !== null && (
              <span class="muted" dir="auto" safe>
                {user.name}
              </span>
            )}
          </th>
          <TextCell label="Plan" text={user.planLabel} />
          <NumberCell label="Keys" value={user.activeKeys} />
          <td data-label="This month" class="number">
            <span>
              <span safe>{countText(user.usedThisMonth)}</span>{' '}
              <span class="muted" safe>{`of ${countText(user.monthLimit)}`}</span>
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
    </Table>
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
