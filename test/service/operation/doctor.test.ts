import { expect, test } from 'bun:test'

import { type DoctorCheck, ok, runChecks } from '../../../src/service/operation/doctor.ts'

const findingsOf = (checks: readonly DoctorCheck[], deadlineMs?: number) =>
  Array.fromAsync(runChecks(checks, deadlineMs))

test('checks run at the same time, and their findings have the same order', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const checks: DoctorCheck[] = [
    { name: 'waits for the second', run: () => promise.then(() => ok('a')) },
    { name: 'second', run: async () => (resolve(), ok('b')) },
  ]
  expect(await findingsOf(checks)).toEqual([
    { name: 'waits for the second', status: 'ok', detail: 'a' },
    { name: 'second', status: 'ok', detail: 'b' },
  ])
})

test('a check that throws is reported as failed, and the others still run', async () => {
  const fails: DoctorCheck = { name: 'fails', run: () => Promise.reject(new Error('EACCES: permission denied')) }
  const findings = await findingsOf([fails, { name: 'works', run: async () => ok('') }])
  expect(findings).toMatchObject([
    { status: 'failed', detail: 'EACCES: permission denied', remedy: expect.stringMatching(/./) },
    { status: 'ok' },
  ])
})

test('a check that hangs is aborted and reported as failed', async () => {
  let reason: unknown = null
  const hangs: DoctorCheck = {
    name: 'hangs',
    run(signal) {
      signal.addEventListener('abort', () => (reason = signal.reason))
      return new Promise(() => {})
    },
  }
  expect(await findingsOf([hangs], 1)).toMatchObject([
    { name: 'hangs', status: 'failed', remedy: expect.stringMatching(/./) },
  ])
  expect(reason).toBeInstanceOf(Error)
})
