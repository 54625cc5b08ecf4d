import type { InflatedBody } from './inflate.ts'
import { turnBudget } from './turn-budget.ts'

/** Processes a body while it arrives. */
export interface BodyConsumer<Reason> {
  append(chunk: Uint8Array): void
  /** Processes the next part of the stored bytes. Returns a reason to stop reading the body, or undefined to continue. */
  readOn(): Reason | undefined
  /** Whether all stored bytes have been processed. */
  isCaughtUp(): boolean
}

/**
 * Passes a body to a consumer. Resolves to the consumer's reason to stop, or to undefined at the end of the body. Unlike
 * `for await`, it does not wait for the next turn of the event loop between chunks, unless the turn budget is spent; the
 * body is paused while it waits.
 * @throws the error of the stream or the consumer, or the signal's reason
 */
export function consumeBody<Reason>(
  body: InflatedBody,
  consumer: BodyConsumer<Reason>,
  signal: AbortSignal,
): Promise<Reason | undefined> {
  const { stream } = body
  return new Promise((resolve, reject) => {
    // It may have ended or failed in the same turn in which the head arrived.
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
      // The connection is closed or drained later, and emits events then.
      if (isSettled) return
      isSettled = true
      signal.removeEventListener('abort', abort)
      body.stop()
      settle()
    }
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
      turnBudget.repeat(step)
      if (isReading && !isSettled) stream.pause()
    }
    const end = (settle: () => void) => {
      if (isReading) ending ??= settle
      else stop(settle)
    }
    stream.on('data', (chunk: Uint8Array) => {
      if (isSettled) return
      try {
        consumer.append(chunk)
      } catch (error) {
        return stop(() => reject(error))
      }
      if (isReading) return
      isReading = true
      // Once for all chunks of this read: a malicious server can send thousands of one byte each.
      process.nextTick(read)
    })
    stream.on('end', () => end(() => resolve(undefined)))
    stream.on('error', (error) => end(() => reject(error)))
    stream.on('close', () => end(broken))
  })
}
