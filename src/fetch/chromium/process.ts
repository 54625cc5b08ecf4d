import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'

import { attempt } from '../../core/attempt.ts'
import { chromiumArguments } from './arguments.ts'
import { createPipeTransport } from './pipe-transport.ts'

/**
 * A Chromium process and the directory that holds everything it writes. Disposing it stops the process and removes the
 * directory.
 */
export type ChromiumProcess = ReturnType<typeof startChromium>

/**
 * The memory in KB that each process of Chromium may allocate (RLIMIT_DATA), of which one that renders a page reserves
 * up to 612 MB without using it. Without a limit, a page fills the control group of the service. The kernel then drops
 * the pages of the programs' files and reads them again, over and over, instead of killing a process: the service
 * hangs.
 */
const MAX_DATA_KB = 1_024 * 1_024

/**
 * Waits until Chromium exits, then removes its directory. If this service is killed, the pipe closes, and Chromium
 * exits.
 */
const WRAPPER = `ulimit -d ${MAX_DATA_KB} 2>/dev/null; "$@"; exec rm -rf -- "$0" 3<&- 4>&-`

/** Distributions start Chromium from a script that needs a PATH. The service's environment is not passed on. */
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin'

/** The folder for temporary files, relative to Chromium's profile directory. */
const TEMPORARY = 'tmp'

/**
 * The maximum length of the temporary folder's absolute path. Chromium exits if the path of its socket in that folder,
 * `.org.chromium.Chromium.XXXXXX/SingletonSocket`, exceeds 107 bytes. If the folder's path is longer than this limit,
 * it is passed relative to the working directory.
 */
const MAX_TEMPORARY_BYTES = 60

/** Only the end of stderr is kept. */
const MAX_STDERR_CHARACTERS = 2_000

/** Chromium's sandbox does not support root. */
export const CAN_SANDBOX = process.getuid?.() !== 0

export function startChromium(executable: string, proxyPort: number) {
  const profile = mkdtempSync(resolve(tmpdir(), 'urlmeta-chromium-'))
  const temporary = join(profile, TEMPORARY)
  mkdirSync(temporary)
  const args = chromiumArguments({ profile, proxyPort, hasSandbox: CAN_SANDBOX })
  const child = spawn('/bin/sh', ['-c', WRAPPER, profile, resolve(executable), ...args], {
    // Chromium has its own process group: Ctrl-C in a terminal must not reach it, and killing the group kills all its
    // processes.
    detached: true,
    cwd: profile,
    env: {
      PATH: SYSTEM_PATH,
      HOME: profile,
      TMPDIR: Buffer.byteLength(temporary) > MAX_TEMPORARY_BYTES ? TEMPORARY : temporary,
      LANG: 'en_US.UTF-8',
    },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr!.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-MAX_STDERR_CHARACTERS)))
  // A program that cannot be executed emits `error` instead of `exit`.
  const exited = once(child, 'exit').catch(() => {})
  // If only the wrapper was killed, closing the pipe ends Chromium.
  child.once('exit', () => child.stdio[3]!.destroy())
  const killGroup = () => {
    // The pid of an exited process may have been reused.
    const hasExited = child.exitCode !== null || child.signalCode !== null
    if (!hasExited && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  const transport = createPipeTransport(child.stdio[3] as Writable, child.stdio[4] as Readable)

  return {
    transport,
    profile,
    exited,
    /** The end of Chromium's stderr, which holds the reason if Chromium did not start. */
    stderrTail: () => stderr.trim(),
    /** The CPU time that the browser's main process has used, in milliseconds; null if the system does not say. */
    cpuMs: () => cpuMsOf(child.pid),
    async [Symbol.asyncDispose]() {
      killGroup()
      await exited
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** The unit of CPU times in /proc: `USER_HZ` is 100 on every Linux. */
const TICK_MS = 10

/** The CPU time of the only child of a process. */
function cpuMsOf(parent: number | undefined): number | null {
  const cpuMs = attempt(() => {
    const [pid] = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ')
    // pid (name) state ppid …; the name may contain anything. utime and stime are fields 14 and 15.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  })
  return cpuMs ?? null
}
