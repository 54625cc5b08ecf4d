/** One number in a `<dl class="stats">`. */
export function Stat({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt safe>{label}</dt>
      <dd safe>{value}</dd>
    </div>
  )
}
