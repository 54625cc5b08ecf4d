import { setTimeout } from 'node:timers/promises'

import type { Command } from '@commander-js/extra-typings'

import { isoTime } from '../../core/iso-time.ts'
import { requestJson } from '../../core/usage/request-json.ts'
import { MAX_LOGGED_OF_USER } from '../../core/usage/request-log.ts'
import type { RequestLogs } from '../../service/usage/request-logs.ts'
import { openAccounts } from '../accounts.ts'
import { logLimitArgument } from '../arguments.ts'
import { type CommandContext, interruption } from '../command.ts'
import { printAndWait, table } from '../output.ts'

/** The server writes its log once per second. */
const POLL_MS = 1_000

/** The newest requests that are read each time. Of more in a second, the oldest are not printed. */
const POLLED = 1_000

export function addLogsCommand(program: Command, { readConfig }: CommandContext) {
  program
    .command('logs')
    .description('print the newest requests of all users from the request log, the newest last')
    .option('--follow', 'also print new requests, which are read every second, until Ctrl-C')
    .option('--key <id>', 'only requests with this key, as printed by `urlmeta key list`')
    .option('--status <result>', 'only requests with this result: ok, failed, or a reason such as timeout', 'all')
    .option('--limit <number>', 'how many requests to print first', logLimitArgument, 50)
    .option('--json', 'print one JSON object per line')
    .action(async ({ follow, key: keyId = null, status: result, limit, json }) => {
      await using composed = await openAccounts(readConfig())
      const read = (count: number) => composed.requestLogs.newest({ keyId, result }, count)
      let requests = await read(MAX_LOGGED_OF_USER)
      const text = textOf(requests.slice(-limit), json, true) || (json ? '' : 'No requests.')
      if (text !== '') await printAndWait(text)
      if (!follow) return
      const stop = interruption()
      while (!stop.aborted) {
        // Compared with all that was read before, because several servers do not write in the order of the ids.
        const known = new Set(requests.map(identityOf))
        // When requests are deleted, older ones are read in their place.
        const oldestMs = requests[0]?.atMs ?? 0
        requests = await read(POLLED)
        const added = requests.filter((request) => request.atMs >= oldestMs && !known.has(identityOf(request)))
        if (added.length > 0) await printAndWait(textOf(added, json, false))
        await setTimeout(POLL_MS, undefined, { signal: stop }).catch(() => {})
      }
    })
}

type Logged = Awaited<ReturnType<RequestLogs['newest']>>[number]

/** Clients may use a request ID twice. */
const identityOf = ({ requestId, keyId, atMs }: Logged) => `${requestId} ${keyId} ${atMs}`

function textOf(requests: readonly Logged[], json: true | undefined, hasHead: boolean): string {
  if (!json) return table(requests.map(row), process.stdout, hasHead)
  return requests
    .map(({ email, ...logged }) => JSON.stringify({ ...requestJson(logged), user_id: logged.userId, email }))
    .join('\n')
}

const row = ({ atMs, status, reason, latencyMs, email, requestId, host, path }: Logged) => ({
  time: isoTime(atMs),
  status: String(status),
  result: reason,
  latency: `${latencyMs} ms`,
  user: email ?? '',
  'request id': requestId,
  url: `${host ?? ''}${path ?? ''}`,
})
