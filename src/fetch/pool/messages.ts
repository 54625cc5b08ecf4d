import type { Caller, PageTexts, RenderedPage, RenderOutcome } from '../../core/fetch/ports.ts'
import type { FetchSlots } from '../fetcher.ts'
import type { SlotRequest } from '../connection/slots.ts'
import type { ErrorFields } from './calls.ts'

type JobId = number

/** Functions of a worker that the main thread calls. */
export interface WorkerCalls<Settings> {
  /** The first call. The worker writes the number of the job that it processes to `current`. */
  open(content: { settings: Settings; hasBrowser: boolean; current: Int32Array }): void
  configure(settings: Settings): void
  read(content: ReadRequest, signal: AbortSignal): Promise<ReadReply>
  /** Another caller, with a later deadline, waits for the page too. */
  extend(content: { job: JobId; remainingMs: number }): void
  ping(content: null): void
}

export interface ReadRequest extends Caller {
  job: JobId
  url: string
  remainingMs: number
  listsTags: boolean
  /** Whether the last pages of the host needed a browser. */
  needsBrowser: boolean
  ownPorts: readonly number[]
}

/** The trace is JSON, because text costs less to send between threads than objects. */
export type ReadReply = { trace: string } & ({ texts: PageTexts } | { error: ErrorFields })

/** Functions of the main thread that a worker calls. */
export interface MainCalls {
  /** Waits for a slot. The worker must call `release` afterwards, even if the wait was aborted. */
  take(content: { slot: number; of: keyof FetchSlots; request: SlotRequest }, signal: AbortSignal): Promise<void>
  release(slot: number): void
  render(content: { job: JobId; url: string }, signal: AbortSignal): Promise<RenderReply>
  /** Whether a page of the host needed a browser. */
  note(content: { host: string; neededBrowser: boolean }): void
  /** The trace so far, sent shortly before the deadline. */
  progress(content: { job: JobId; trace: string }): void
}

/** A `RenderOutcome`; `URL` objects do not cross threads. */
export type RenderReply =
  | Extract<RenderOutcome, { failure: unknown }>
  | (Omit<Extract<RenderOutcome, { page: unknown }>, 'page'> & { page: Omit<RenderedPage, 'url'>; url: string })
