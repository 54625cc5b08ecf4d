import { Html } from '@elysiajs/html'

/** Shown where a result was stored without its details, because they were too large. */
export function NoDetails() {
  return (
    <p class="empty">
      This result is from the cache, where its details are not stored. Choose “Bypass cache” under Options and fetch the
      page again to see them.
    </p>
  )
}
