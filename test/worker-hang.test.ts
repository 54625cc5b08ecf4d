import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'

import { openWorkspace } from './executable.ts'
import { describeProgram } from './requirements.ts'
import { createKey } from './new-key.ts'
import { openSite, until } from './site.ts'
import { describeRoot } from './small-disk.ts'
import { PATIENT_TEST_MS } from './patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const site = openSite()
const ENV = {
  ...site.env,
  URLMETA_PLAN_FREE_PER_MINUTE: '100000',
  URLMETA_PLAN_FREE_PER_MONTH: '1000000',
  URLMETA_WORKERS: '1',
}

afterAll(() => site.close())

/** Between two requests of a client, in milliseconds. */
const PAUSE_MS = 20

/** Not every architecture has all of them. */
const WAITS = '?epoll_wait,epoll_pwait,?epoll_pwait2'

/** The id of the thread that reads pages: it has a lower priority, as the threads that help it. */
function workerOf(pid: number): string {
  const tasks = `/proc/${pid}/task`
  const isWorker = (task: string) => readFileSync(`${tasks}/${task}/comm`, 'utf8') === 'Worker\n'
  return readdirSync(tasks).find((task) => isWorker(task) && getPriority(Number(task)) > getPriority(pid))!
}

describeRoot('a thread of the executable that hangs', () => {
  describeProgram('strace', (strace) => {
    test('is replaced; under load, exactly the responses with status 200 are charged', async () => {
      await using place = openWorkspace()
      const key = await createKey(place)
      const service = await place.serve(ENV)
      expect((await site.request(service, key, '/0')).status).toBe(200)
      const statuses = { ok: 1, failed: 0 }
      const over = new AbortController()
      const load = Promise.all(
        Array.from({ length: 8 }, async (_, client) => {
          let n = 0
          while (!over.signal.aborted) {
            const { status } = await site.request(service, key, client % 2 === 0 ? '/0' : `/${client}-${n++}`)
            expect([200, 502]).toContain(status)
            statuses[status === 200 ? 'ok' : 'failed']++
            // Leaves the CPU to other tests.
            await Bun.sleep(PAUSE_MS)
          }
        }),
      )
      // When it waits for events next, it does not return. Other system calls may hold a lock that other threads need.
      const fault = Bun.spawn(
        [strace, '-o', '/dev/null', '-e', `inject=${WAITS}:delay_enter=600s`, '-p', workerOf(service.pid)],
        { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
      )
      await until(() => service.output().includes('"reason":"unresponsive"'))
      fault.kill('SIGINT')
      const answered = statuses.ok
      await until(() => statuses.ok > answered + 100)
      over.abort()
      await load
      expect(statuses.failed).toBeGreaterThan(0)
      // Other pages of the host may be refused for a minute.
      const last = await site.request(service, key, '/0')
      expect([last.status, last.headers.get('x-monthly-used')]).toEqual([200, String(statuses.ok + 1)])
      expect(await (await fetch(`${service.url}/metrics`)).text()).toContain('urlmeta_worker_restarts_total 1\n')
    })
  })
})
