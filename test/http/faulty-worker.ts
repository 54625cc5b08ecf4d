// An entry point of workers in which the pages of some paths cause faults that no page is known to cause.
// Not with `await`: Bun does not report uncaught errors of such a worker.
// oxlint-disable-next-line import/no-unassigned-import
import '../../src/compose/read-worker.ts'
import { PageScan } from '../../src/core/extract/extract.ts'
import { useCpu } from '../use-cpu.ts'

/** Takes 20 ms: memory that grows by a megabyte each time does not fill the machine before the worker is ended. */
function workAndSleep() {
  useCpu(8)
  Bun.sleepSync(12)
}

const FAULTS: Record<string, () => void> = {
  '/endless-loop'() {
    for (;;);
  },
  // Does not answer either, but leaves most of the CPU to other tests.
  '/endless-wait'() {
    for (;;) workAndSleep()
  },
  '/endless-memory'() {
    for (const kept = []; ; workAndSleep()) kept.push(new Uint8Array(2 ** 20).fill(1))
  },
  // Uses no CPU time, as if the machine were busy.
  '/not-run': () => Bun.sleepSync(3_500),
  '/uncaught-error'() {
    process.nextTick(() => {
      throw new Error('a fault')
    })
  },
  '/exit': () => process.exit(1),
}

const read = PageScan.prototype.read
PageScan.prototype.read = function (bytes) {
  FAULTS[this.url.pathname]?.()
  read.call(this, bytes)
}
