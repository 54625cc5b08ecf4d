import type { PageTexts, Principal, RenderedPage, RenderOutcome } from '../../core/fetch/ports.ts'
import type { FetchSlots } from '../fetcher.ts'
import type { SlotRequest } from '../connection/slots.ts'
import type { ErrorFields } from './calls.ts'

type JobId = number

/** What the main thread calls in a worker. */
export interface WorkerCalls<Settings> {
  /** The first call. `current` receives the number of the job that is processed. */
  open(content: { settings: Settings; hasBrowser: boolean; current: Int32Array }): void
  configure(settings: Settings): void
  read(content: ReadRequest, signal: AbortSignal): Promise<ReadReply>
  /** A caller with a later deadline waits for the page too. */
  extend(content: { job: JobId; remainingMs: number }): void
  ping(content: null): void
}

export interface ReadRequest extends Principal {
  job: JobId
  url: string
  remainingMs: number
  listsTags: boolean
  /** Whether the last pages of the host needed a browser. */
  needsBrowser: boolean
  ownPorts: readonly number[]
}

/** The trace is JSON, because a text crosses threads at less cost than objects. */
export type ReadReply = { trace: string } & ({ texts: PageTexts } | { error: ErrorFields })

/** What a worker calls in the main thread. */
export interface MainCalls {
  /** Waits for a slot. `release` must follow, even if the wait was aborted. */
  take(content: { slot: number; of: keyof FetchSlots; request: SlotRequest }, signal: AbortSignal): Promise<void>
  release(slot: number): void
  render(content: { job: JobId; url: string }, signal: AbortSignal): Promise<RenderReply>
  /** Whether a page of the host needed a browser. */
  note(content: { host: string; neededBrowser: boolean }): void
  /** The trace so far, shortly before the deadline. */
  progress(content: { job: JobId; trace: string }): void
}

/** A `RenderOutcome`; `URL` objects do not cross threads. */
export type RenderReply =
  | Extract<RenderOutcome, { failure: unknown }>
  | (Omit<Extract<RenderOutcome, { page: unknown }>, 'page'> & { page: Omit<RenderedPage, 'url'>; url: string })
