// A clock for processes that can be set while they run, with libfaketime.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { faketimeEnv, removeFaketimeLeftovers } from '../test/faketime.ts'

/** The clock of the processes that have its environment. */
export interface ShiftedClock extends Disposable {
  env: Record<string, string>
  /** Unix milliseconds, as these processes read them. */
  now(): number
  set(atMs: number): void
  /** Resolves when running processes have read the offset again. */
  isRead(): Promise<void>
}

/**
 * How often a process reads the offset, in seconds. At each reading of the clock would be more exact, but once in many thousand
 * times libfaketime then returns the real time.
 */
const CACHE_SECONDS = 1

/** Timers keep the speed of the real clock. @throws when faketime is not installed */
export function openShiftedClock(): ShiftedClock {
  const faketime = Bun.which('faketime')
  if (faketime === null) throw new Error('faketime is not installed')
  const { LD_PRELOAD } = faketimeEnv(faketime, '+0')
  const dir = mkdtempSync(join(tmpdir(), 'urlmeta-clock-'))
  const file = join(dir, 'offset')
  let offsetSeconds = 0
  return {
    env: {
      LD_PRELOAD,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: String(CACHE_SECONDS),
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    now: () => Date.now() + offsetSeconds * 1_000,
    set(atMs) {
      offsetSeconds = Math.round((atMs - Date.now()) / 1_000)
      writeFileSync(`${file}.new`, `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}`)
      // Atomic, because running processes read the file.
      renameSync(`${file}.new`, file)
    },
    isRead: () => Bun.sleep(CACHE_SECONDS * 2_000),
    [Symbol.dispose]() {
      rmSync(dir, { recursive: true })
      removeFaketimeLeftovers()
    },
  }
}
