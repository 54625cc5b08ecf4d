// Fetches the URLs of its arguments with no file descriptor left, and prints how each failed.
// Run with a low limit of open files; the first argument is the address of a DNS server.
import { openSync, writeSync } from 'node:fs'
import { devNull } from 'node:os'

import { budgetOf } from '../budget.ts'
import { fetcherFor } from '../fetcher-for.ts'

/** Already open; `process.stdout` would need another descriptor. */
const STDOUT = 1

const [dnsServer = '', ...urls] = Bun.argv.slice(2)
const fetcher = fetcherFor(['127.0.0.0/8'], { dnsServers: [dnsServer] })
try {
  for (;;) openSync(devNull, 'r')
} catch {
  // All descriptors are in use now.
}
for (const url of urls) {
  using budget = budgetOf()
  const failure = await fetcher.fetch(new URL(url), budget).catch(({ reason, detail }) => ({ reason, detail }))
  writeSync(STDOUT, `${JSON.stringify(failure)}\n`)
}
process.exit()
