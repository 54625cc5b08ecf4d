import type { InflatedBody } from './inflate.ts'
import { turnBudget } from './turn-budget.ts'

export interface BodyConsumer<Reason> {
  append(chunk: Uint8Array): void
  /** Processes the next part of the stored bytes. Returns a reason to stop reading the body, or undefined to continue. */
  readOn(): Reason | undefined
  /** Whether all stored bytes have been processed. */
  isCaughtUp(): boolean
  /** Called when nothing has arrived for `SILENCE_MS`. Returns a reason to stop, or undefined to continue waiting. */
  afterSilence?(): Reason | undefined
}

/** Who waits for a body, and until when. */
export interface Waiting {
  /** Null for bodies that no user waits for. */
  user: string | null
  signal: AbortSignal
}

/** After a pause of this many milliseconds, a page that looks complete is considered complete. */
const SILENCE_MS = 300

/**
 * Passes a body to a consumer. Resolves to the consumer's reason to stop, or to undefined at the end of the body.
 * Unlike `for await`, this only waits for the next turn of the event loop between chunks if the turn budget is spent.
 * The body is paused during that wait. `user` is the user who waits for the body, or null.
 * @throws the error of the stream or the consumer, or the signal's reason
 */
export function consumeBody<Reason>(
  body: InflatedBody,
  consumer: BodyConsumer<Reason>,
  { user, signal }: Waiting,
): Promise<Reason | undefined> {
  const { stream } = body
  return new Promise((resolve, reject) => {
    // The stream may have ended or failed in the same turn in which the head arrived.
    if (stream.errored !== null) return reject(stream.errored)
    if (stream.readableEnded) return resolve(undefined)
    const broken = () => reject(new Error('the stream was closed before its end'))
    if (stream.destroyed) return broken()
    let isSettled = false
    let isReading = false
    /** How the stream ended, if the consumer has not caught up yet. */
    let ending: (() => void) | null = null
    // Needed because closing a connection that has already ended emits no event.
    const abort = () => stop(() => reject(signal.reason))
    signal.addEventListener('abort', abort)
    const stop = (settle: () => void) => {
      // Events also arrive later, when the connection is closed or drained.
      if (isSettled) return
      isSettled = true
      signal.removeEventListener('abort', abort)
      clearTimeout(silence)
      body.stop()
      settle()
    }
    let lastDataAtMs = performance.now()
    let silence: Timer | undefined
    /** Starts one timer for the whole body, because a timer for each part would cost more. */
    const awaitSilence = (ms: number) => {
      silence = setTimeout(() => {
        const restMs = lastDataAtMs + SILENCE_MS - performance.now()
        const reason = restMs > 0 || isReading ? undefined : consumer.afterSilence?.()
        if (reason === undefined) awaitSilence(restMs > 0 ? restMs : SILENCE_MS)
        else stop(() => resolve(reason))
      }, ms)
    }
    if (consumer.afterSilence) awaitSilence(SILENCE_MS)
    const step = () => {
      if (isSettled) return false
      try {
        const reason = consumer.readOn()
        if (reason !== undefined) stop(() => resolve(reason))
      } catch (error) {
        stop(() => reject(error))
      }
      if (isSettled) return false
      if (!consumer.isCaughtUp()) return true
      isReading = false
      if (ending !== null) stop(ending)
      else if (stream.isPaused()) stream.resume()
      return false
    }
    const read = () => {
      turnBudget.repeat(step, user)
      if (isReading && !isSettled) stream.pause()
    }
    const end = (settle: () => void) => {
      if (isReading) ending ??= settle
      else stop(settle)
    }
    stream.on('data', (chunk: Uint8Array) => {
      if (isSettled) return
      lastDataAtMs = performance.now()
      try {
        consumer.append(chunk)
      } catch (error) {
        return stop(() => reject(error))
      }
      if (isReading) return
      isReading = true
      // One read for all chunks that have arrived: a malicious server can send thousands of chunks of one byte each.
      process.nextTick(read)
    })
    stream.on('end', () => end(() => resolve(undefined)))
    stream.on('error', (error) => end(() => reject(error)))
    stream.on('close', () => end(broken))
  })
}
