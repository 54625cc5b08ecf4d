// An entry point of workers in which the pages of some paths cause faults that no page is known to cause.
// Not with `await`: Bun does not report uncaught errors of such a worker.
// oxlint-disable-next-line import/no-unassigned-import
import '../../src/compose/read-worker.ts'
import { PageScan } from '../../src/core/extract/extract.ts'

/** Memory grows at this rate, so that the machine of the tests has enough until the worker is ended. */
const MEGABYTES_PER_SECOND = 50

const FAULTS: Record<string, () => void> = {
  '/endless-loop'() {
    for (;;);
  },
  // Does not answer either, but leaves the CPU to other tests.
  '/endless-wait'() {
    for (;;) Bun.sleepSync(10)
  },
  '/endless-memory'() {
    for (const kept = []; ; Bun.sleepSync(1_000 / MEGABYTES_PER_SECOND)) kept.push(new Uint8Array(2 ** 20).fill(1))
  },
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
