/** What a failure of the API means for whoever asked, by how its message reads. */
const ADVICE: readonly (readonly [message: RegExp, advice: string])[] = [
  [/^Failed to fetch URL: HTTP (401|403|429)$/, 'The site refuses visitors like this one, or asks for a sign-in.'],
  [/^Failed to fetch URL: HTTP (404|410)$/, 'The site says there is no such page. Look for a slip in the address.'],
  [/^Failed to fetch URL: HTTP 5/, 'The site itself has trouble. Try again later.'],
  [/timed out after/, 'The site was too slow. A longer timeout, up to 15000 ms, may help.'],
  [/host not found/, 'No such name is known. Look for a slip in the address.'],
  [/connection (refused|reset)/, 'The machine is there, but its web server does not answer.'],
  [/TLS error/, 'The certificate of the site cannot be trusted, so nothing was read.'],
  [/too many redirects/, 'The page sends visitors around in circles, often for want of a cookie or a sign-in.'],
  [/address not allowed/, 'The name leads to a private or special address. Those are never fetched.'],
  [/invalid redirect/, 'The page leads to something that is no web address.'],
  [/response too large/, 'The answer is larger than what is read of any page.'],
  [/blocked by the site/, 'The site answered with a check for robots instead of the page.'],
  [/^Monthly limit reached/, 'The playground spends your own month. Usage shows when it starts again.'],
  [/^Rate limit exceeded/, 'Wait for the next minute, then try again.'],
]

/** One sentence on what to do about the error; null for one that says all there is. */
export function adviceOn(error: string): string | null {
  return ADVICE.find(([message]) => message.test(error))?.[1] ?? null
}
