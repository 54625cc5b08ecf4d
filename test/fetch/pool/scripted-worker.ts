// An entry point of workers that do what the path of a page names. The settings name a message at which the worker exits.
import { threadId } from 'node:worker_threads'

import { FetchError } from '../../../src/core/errors.ts'
import type { PageTexts } from '../../../src/core/fetch/ports.ts'
import { type Job, serveJobs } from '../../../src/fetch/pool/worker-end.ts'
import { untilAborted } from '../../../src/fetch/response/abort.ts'

declare const self: Worker

/** Settings of the worker. */
export interface Script {
  exitsAt?: 'open' | 'configure' | undefined
  hangsAt?: 'open'
  text: string
}

const never = new Promise<never>(() => {})
const textsOf = (json: string): PageTexts => ({ json, details: undefined, isProvisional: false })

serveJobs<Script>(self, (first, { slots, ownPorts }) => {
  if (first.exitsAt === 'open') process.exit(1)
  if (first.hangsAt === 'open') for (;;);
  let settings = first

  const actions: Record<string, (job: Job) => unknown> = {
    '/thread': () => threadId,
    '/settings': () => settings.text,
    '/user': ({ budget }) => budget.userId,
    '/own-ports': () => ownPorts().join(),
    '/fails': () => {
      throw new FetchError('http_status', { reason: 'the reason', detail: 'the detail', siteStatus: 503 })
    },
    '/breaks': () => {
      throw new TypeError('a defect')
    },
    '/exits': () => process.exit(1),
    '/throws-later': () => {
      setImmediate(() => {
        throw new Error('not caught')
      })
      return untilAborted(never, AbortSignal.timeout(10_000))
    },
    '/hangs': () => {
      for (;;);
    },
    '/waits': ({ budget }) => untilAborted(never, budget.signal),
    '/remaining': async ({ budget }) => {
      while (budget.remainingMs() < 10_000) await Bun.sleep(1)
      return 'extended'
    },
    '/takes-slot': async ({ budget }) => {
      using _slot = await slots.pages.take({ user: budget.userId, limits: [] }, budget.signal)
      return 'taken'
    },
    '/keeps-slot': async ({ budget }) => {
      using _slot = await slots.pages.take({ user: budget.userId, limits: [] }, budget.signal)
      return await untilAborted(never, budget.signal)
    },
    '/renders': async ({ url, budget, renderer }) => JSON.stringify(await renderer!.render(url, budget)),
    '/needs-browser': ({ url, history }) => {
      history.note(url.host, true)
      return String(history.needsBrowser(url.host))
    },
  }

  return {
    async read(job) {
      const { url, budget, trace } = job
      trace.hops.push({ url: url.href } as never)
      budget.beforeStep?.()
      return textsOf(String(await actions[url.pathname]!(job)))
    },
    configure(next) {
      settings = next
      if (next.exitsAt === 'configure') process.exit(1)
    },
  }
})
