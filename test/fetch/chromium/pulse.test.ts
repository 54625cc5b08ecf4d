import { expect, test } from 'bun:test'

import { responseDeadline } from '../../../src/fetch/chromium/pulse.ts'

const MS = 40

test.each<[name: string, cpuMs: ((reads: number) => number | null) | null, reads: number]>([
  ['uses a CPU is late at the deadline', (reads) => 1_000 + reads * MS, 2],
  ['has used a quarter of the deadline is late at the deadline', (reads) => (reads === 1 ? 0 : MS / 4), 2],
  // The first read is at the start; the last check does not read.
  ['has used less may take four times as long', (reads) => (reads === 1 ? 0 : MS / 4 - 1), 13],
  ['gets a CPU later is late then', (reads) => (reads < 10 ? 0 : MS), 10],
  ['has exited is late at the deadline', (reads) => (reads === 1 ? 0 : null), 2],
  ['has an unknown CPU time is late at the deadline', () => null, 1],
  ['is remote is late at the deadline', null, 0],
])('a browser that %s', async (_, cpuMs, expected) => {
  let reads = 0
  using deadline = responseDeadline(cpuMs && { cpuMs: () => cpuMs(++reads) }, MS)
  await new Promise((resolve) => deadline.signal.addEventListener('abort', resolve))
  expect(reads).toBe(expected)
})
