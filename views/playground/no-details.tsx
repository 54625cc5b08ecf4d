/** Shown for a result without details: they were too large, or an older version cached the result. */
export function NoDetails() {
  return (
    <p class="empty">
      The details of this result are not available. If it is from the cache, choose “Bypass cache” under Options and
      fetch the page again.
    </p>
  )
}
