// An entry point of workers in which the pages of some paths cause faults that no page is known to cause.
// Not with `await`: Bun does not report uncaught errors of such a worker.
// oxlint-disable-next-line import/no-unassigned-import
import '../../src/compose/read-worker.ts'
import { PageScan } from '../../src/core/extract/extract.ts'

/** Uses a CPU for 8 of 20 ms. Memory grows by a megabyte in each, so that the machine has enough until the worker is ended. */
function workAndSleep() {
  const endMs = performance.now() + 8
  while (performance.now() < endMs);
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
  // As on a busy machine where the worker gets no CPU time.
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
