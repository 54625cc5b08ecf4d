/**
 * A failure as it is counted and shown: `timeout`, or `http_status 404`, because a missing page and a broken site are
 * different failures.
 */
export function failureReason(failure: string, siteStatus: number | undefined): string {
  return siteStatus === undefined ? failure : `${failure} ${siteStatus}`
}
