import { FetchError, messageOf } from '../../core/errors.ts'
import { errorCode } from '../response/failure.ts'

type ContentOf<Call> = Call extends (content: infer Content, ...rest: never[]) => unknown ? Content : never
type ResultOf<Call> = Call extends (...args: never[]) => infer Result ? Awaited<Result> : never

type Message = [name: string, id: number, content: unknown]

/** The id of calls made by `tell`, which have no result. */
const NO_REPLY = 0

/**
 * An error as plain data, because an Error that is sent to another thread loses its class and cause. Without `failure` for
 * errors other than FetchError.
 */
export interface ErrorFields extends Partial<Pick<FetchError, 'failure' | 'detail' | 'siteStatus'>> {
  text: string
}

/**
 * Remote procedure calls between two threads. `Theirs` are the functions of the other thread, and `own` are the
 * functions that the other thread may call.
 */
export function connect<Theirs>(port: Pick<Worker, 'postMessage' | 'addEventListener'>, own: object) {
  const calls = own as Record<string, (content: unknown, signal: AbortSignal) => unknown>
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const answering = new Map<number, AbortController>()
  let lastId = 0
  const outbox: Message[] = []

  /** Sends the messages of one turn of the event loop together, because each message wakes the other thread. */
  function post(...message: Message) {
    if (outbox.push(message) > 1) return
    setImmediate(() => port.postMessage(outbox.splice(0)))
  }

  async function answer(name: string, id: number, content: unknown) {
    const leaving = new AbortController()
    answering.set(id, leaving)
    try {
      const result = await calls[name]!(content, leaving.signal)
      if (id !== NO_REPLY) post('result', id, result)
    } catch (error) {
      post('error', id, fieldsOf(error))
    } finally {
      answering.delete(id)
    }
  }

  function receive([name, id, content]: Message) {
    if (name === 'abort') return answering.get(id)?.abort(new Error('the caller no longer waits'))
    if (name !== 'result' && name !== 'error') return void answer(name, id, content)
    if (name === 'result') waiting.get(id)?.resolve(content)
    else waiting.get(id)?.reject(errorOf(content as ErrorFields))
    waiting.delete(id)
  }

  port.addEventListener('message', ({ data }: MessageEvent<Message[]>) => data.forEach(receive))

  return {
    /**
     * Resolves to the result even after the signal has aborted. The signal only tells the other thread.
     * @throws FetchError; for other errors, an Error with their stack
     */
    call<Name extends keyof Theirs>(
      name: Name,
      content: ContentOf<Theirs[Name]>,
      signal?: AbortSignal,
    ): Promise<ResultOf<Theirs[Name]>> {
      const id = ++lastId
      const result = Promise.withResolvers<unknown>()
      waiting.set(id, result)
      post(String(name), id, content)
      const abort = () => post('abort', id, null)
      signal?.addEventListener('abort', abort)
      return result.promise.finally(() => signal?.removeEventListener('abort', abort)) as Promise<never>
    },
    /** Does not wait for a result. */
    tell<Name extends keyof Theirs>(name: Name, content: ContentOf<Theirs[Name]>) {
      post(String(name), NO_REPLY, content)
    },
    /** The number of calls without a result yet. */
    pending: () => waiting.size,
    /** Rejects all calls without a result yet, and aborts the calls of the other thread. */
    fail(error: Error) {
      for (const { reject } of waiting.values()) reject(error)
      for (const leaving of answering.values()) leaving.abort(error)
    },
  }
}

export function fieldsOf(error: unknown): ErrorFields {
  if (!(error instanceof FetchError)) return { text: (error instanceof Error && error.stack) || messageOf(error) }
  const { failure, reason: text, detail = errorCode(error.cause) || undefined, siteStatus } = error
  return { failure, text, detail, siteStatus }
}

export function errorOf({ failure, text, detail, siteStatus }: ErrorFields): Error {
  if (failure === undefined) return new Error(`in another thread: ${text}`)
  return new FetchError(failure, { reason: text, detail, siteStatus })
}
