const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const UNITS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** `20 Nov 2026`. All times are in UTC, like the limits. */
export function dateText(ms: number): string {
  const time = iso(ms)
  return `${dayText(time)} ${time.slice(0, 4)}`
}

/** `2026-11-20` → `20 Nov`. */
export const dayText = (day: string): string => `${Number(day.slice(8, 10))} ${MONTHS[Number(day.slice(5, 7)) - 1]}`

/** `2026-11-20T14` → `20 Nov, 14:00`, `2026-11-20` → `20 Nov`, `2026-11` → `Nov 2026`. */
export function timeText(time: string): string {
  if (time.length === 7) return `${MONTHS[Number(time.slice(5)) - 1]} ${time.slice(0, 4)}`
  return time.length === 13 ? `${dayText(time)}, ${time.slice(11)}:00` : dayText(time)
}

/** `just now`, `3 minutes ago`, `2 days ago`. */
export function relativeTimeText(ms: number, nowMs: number): string {
  const seconds = (nowMs - ms) / 1_000
  const [unit, unitSeconds] = UNITS.find(([, least]) => seconds >= least) ?? ['', 1]
  if (unit === '') return 'just now'
  const amount = Math.floor(seconds / unitSeconds)
  return `${amount} ${unit}${amount === 1 ? '' : 's'} ago`
}

const iso = (ms: number): string => new Date(ms).toISOString()

/** `20 Nov 2026, 08:00:00 UTC`. */
const momentText = (ms: number): string => `${dateText(ms)}, ${iso(ms).slice(11, 19)} UTC`

/** `08:00 UTC`. */
export const clockText = (ms: number): string => `${iso(ms).slice(11, 16)} UTC`

/** Date and time to the second, for logs. A `text` is shown instead, with date and time on hover. */
export function Timestamp({ ms, text }: { ms: number; text?: string }) {
  return (
    <time datetime={iso(ms)} title={text === undefined ? undefined : momentText(ms)} safe>
      {text ?? momentText(ms)}
    </time>
  )
}

/** Date and time without the year, for rows of a log: `20 Nov, 08:00:00 UTC`. */
export const RowTime = ({ ms }: { ms: number }) => (
  <time datetime={iso(ms)} data-short safe>{`${dayText(iso(ms))}, ${iso(ms).slice(11, 19)} UTC`}</time>
)

/** A date, with the exact time on hover. */
export function DateTime({ ms }: { ms: number }) {
  return <Timestamp ms={ms} text={dateText(ms)} />
}

/** A relative time, with the exact time on hover; `never` for null. */
export function RelativeTime({ ms, nowMs }: { ms: number | null; nowMs: number }) {
  return ms === null ? <span class="muted">never</span> : <Timestamp ms={ms} text={relativeTimeText(ms, nowMs)} />
}
