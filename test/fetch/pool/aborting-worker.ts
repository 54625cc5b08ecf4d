// An entry point of workers in which the wait for a slot is aborted in the turn in which it starts.
import { serveJobs } from '../../../src/fetch/pool/worker-end.ts'

declare const self: Worker

serveJobs(self, (_, { slots }) => ({
  async read() {
    const leaving = new AbortController()
    const taking = slots.pages.take({ user: 'user', limits: [] }, leaving.signal)
    leaving.abort()
    await taking.catch(() => {})
    return { page: '', images: '', head: '' } as never
  },
  configure() {},
}))
