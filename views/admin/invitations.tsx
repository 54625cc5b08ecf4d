import { escapeHtml } from '@kitajs/html'

import type { PendingInvitation } from '../../src/core/accounts/tickets.ts'
import { type Frame, Section } from '../shell.tsx'
import { CodeBlock } from '../ui/code.tsx'
import { Confirm, PostForm, TextField } from '../ui/form.tsx'
import { DateCell, RowHead, Table } from '../ui/table.tsx'
import { Timestamp } from '../ui/time.tsx'
import { AdminShell } from './admin-shell.tsx'
import { PagedList, type Paging } from '../ui/pager.tsx'

export interface AdminInvitationsProps {
  frame: Frame
  /** The invitation or sign-in link that was just created. It is shown only in this response; null otherwise. */
  created: { email: string; link: string; expiresAtMs: number; isInvitation: boolean } | null
  /** The submitted email, and why the form failed; '' otherwise. */
  form: { email: string; error: string }
  /** One page of the pending invitations, latest expiry first. */
  pending: PendingInvitation[]
  paging: Paging
}

export function AdminInvitationsPage({ frame, created, form, pending, paging }: AdminInvitationsProps) {
  return (
    <AdminShell frame={frame} title="Invitations">
      {created !== null && <CreatedInvitation invitation={created} />}
      <Section id="invite" title="Invite a user" class="panel">
        <PostForm action="/admin/invite" csrf={frame.csrf} class="inline" label="Invite a user">
          <TextField
            name="email"
            label="Email"
            type="email"
            inputMode="email"
            value={form.email}
            error={form.error}
            hint="Creates a link that you send to the user yourself. No email is sent."
            isRequired
          />
          <button class="button primary">Create link</button>
        </PostForm>
      </Section>
      <Section id="pending" title="Pending">
        <PagedList paging={paging} href={(page) => `/admin/invite?page=${page}`}>
          {pending.length === 0 ? (
            <p class="empty">No pending invitations. An invitation is listed here until it is accepted or expires.</p>
          ) : (
            <PendingTable pending={pending} csrf={frame.csrf} />
          )}
        </PagedList>
      </Section>
    </AdminShell>
  )
}

function CreatedInvitation({ invitation }: { invitation: NonNullable<AdminInvitationsProps['created']> }) {
  const { email, link, expiresAtMs, isInvitation } = invitation
  return (
    <section class="panel created" aria-labelledby="created">
      <h2 id="created">
        {isInvitation ? 'Invitation' : 'Sign-in link'} for <bdi safe>{email}</bdi>
      </h2>
      <p>
        <strong>Copy it now.</strong> You will not be able to see it again. It works once and expires at{' '}
        <Timestamp ms={expiresAtMs} />. Send it only to this person.
      </p>
      <CodeBlock code={link} />
    </section>
  )
}

function PendingTable({ pending, csrf }: Pick<AdminInvitationsProps, 'pending'> & { csrf: string }) {
  return (
    <Table
      class="cards"
      caption="Pending invitations"
      columns={['Email', 'Invited by', 'Expires', { hidden: 'Actions' }]}
    >
      {pending.map(({ email, invitedBy, expiresAtMs }) => (
        <tr>
          <RowHead class="name" of="bdi" text={email} />
          <td data-label="Invited by">
            <bdi safe>{invitedBy}</bdi>
          </td>
          <DateCell label="Expires" ms={expiresAtMs} />
          <td class="act">
            <Confirm
              action="/admin/invite/revoke"
              csrf={csrf}
              label="Revoke"
              subject={`the invitation of ${email}`}
              question="The link stops working immediately. You can invite this address again."
            >
              <input type="hidden" name="email" value={escapeHtml(email)} />
            </Confirm>
          </td>
        </tr>
      ))}
    </Table>
  )
}
