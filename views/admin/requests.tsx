import { RequestResult, type RequestResultProps } from '../requests/request-detail.tsx'
import { type Frame, Section } from '../shell.tsx'
import { TextField } from '../ui/form.tsx'
import { AdminShell } from './admin-shell.tsx'

export interface AdminRequestsProps {
  frame: Frame
  /** The id that was searched; '' for none. */
  id: string
  found: RequestResultProps | null
}

/** Finds a request of any user by its id. The URL is shown only if the user logs URLs. */
export function AdminRequestsPage({ frame, id, found }: AdminRequestsProps) {
  const missing = id === '' || found !== null ? '' : 'No request with this ID in the log of any user.'
  return (
    <AdminShell frame={frame} title="Requests">
      <p class="lead">
        Find an API request of any user by the <code>X-Request-Id</code> of its response. Requests are logged for 7
        days, a sample if there are many; <a href="/docs/monitoring#log">the log of the server</a> has all of them.
      </p>
      <form action="/admin/requests" class="inline narrow-field">
        <TextField name="id" label="Request ID" value={id} error={missing} placeholder="X-Request-Id" />
        <button class="button">Find</button>
      </form>
      {found !== null && (
        <Section id="result" title="Result" class="panel">
          <RequestResult {...found} />
        </Section>
      )}
    </AdminShell>
  )
}
