/** Unix milliseconds as ISO 8601 in UTC: `2026-11-20T12:00:00.000Z`; null for null. */
export function isoTime(ms: number): string
export function isoTime(ms: number | null): string | null
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
