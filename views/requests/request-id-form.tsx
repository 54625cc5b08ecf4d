import { TextField } from '../ui/form.tsx'

export function RequestIdForm({ action, id, error }: Record<'action' | 'id' | 'error', string>) {
  return (
    <form action={action} class="inline narrow-field">
      <TextField name="id" label="Request ID" value={id} error={error} placeholder="X-Request-Id" />
      <button class="button">Find</button>
    </form>
  )
}
