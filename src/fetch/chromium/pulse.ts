import { untilAborted } from '../response/abort.ts'
import type { OpenBrowser } from './open-browser.ts'

/**
 * A browser that takes longer to open a page, or to respond at all, is replaced, because a page may be flooding it with
 * messages.
 */
export const RESPONSE_MS = 4_000

/** How often a deadline of a browser is checked, and how often a busy browser is asked for its version. */
const CHECKS = 4

/** A browser that has used less than this part of a deadline as CPU time may be waiting for a CPU on a busy machine. */
const MIN_CPU_SHARE = 0.25

/** How many times longer a browser may take that waits for a CPU. One that never responds again uses no CPU either. */
const WAITING_FACTOR = 4

export type ResponseDeadline = ReturnType<typeof responseDeadline>

/** The process of a local browser. */
type CpuUser = Pick<NonNullable<OpenBrowser['process']>, 'cpuMs'>

/**
 * A signal that aborts when a browser did not respond within `ms`, or within `WAITING_FACTOR` times as long if it gets no
 * CPU. Disposing the result stops the timer.
 * @param process null for a remote browser, whose CPU time is unknown
 */
export function responseDeadline(process: CpuUser | null, ms: number) {
  const controller = new AbortController()
  const startCpuMs = process?.cpuMs() ?? null
  const isWaiting = () => startCpuMs !== null && (process!.cpuMs() ?? Infinity) - startCpuMs < ms * MIN_CPU_SHARE
  // Checks are counted instead of time, which passes while this process waits for a CPU too.
  let checks = 0
  const timer = setInterval(() => {
    if (++checks < CHECKS || (checks < CHECKS * WAITING_FACTOR && isWaiting())) return
    clearInterval(timer)
    controller.abort(new Error('no response in time'))
  }, ms / CHECKS)
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) }
}

/**
 * Calls `onSilence` when a busy browser does not respond within the deadline for `responseMs`. Such a browser neither
 * opens, loads nor closes pages. Disposing the result stops the requests.
 */
export function watchPulse(opened: OpenBrowser, responseMs: number, isBusy: () => boolean, onSilence: () => void) {
  const session = opened.browser.newBrowserCDPSession()
  // The session and its commands fail when the browser is closed.
  session.catch(() => {})
  let isAsking = false
  async function ask() {
    if (isAsking || !isBusy()) return
    isAsking = true
    using deadline = responseDeadline(opened.process, responseMs)
    const version = session.then((open) => open.send('Browser.getVersion'))
    try {
      await untilAborted(version, deadline.signal)
    } catch {
      if (deadline.signal.aborted && isBusy()) onSilence()
    }
    isAsking = false
  }
  return setInterval(() => void ask(), responseMs / CHECKS)
}
