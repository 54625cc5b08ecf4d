import { Html } from '@elysiajs/html'

/** One number in a `<dl class="figures">`. */
export function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt safe>{label}</dt>
      <dd safe>{value}</dd>
    </div>
  )
}
