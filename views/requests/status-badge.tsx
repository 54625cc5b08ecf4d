/** The HTTP status of a response. */
export function StatusBadge({ status }: { status: number }) {
  return (
    <span class={status < 400 ? 'badge good' : 'badge bad'} safe>
      {String(status)}
    </span>
  )
}
