import { isTemporary } from '../../core/extract/reading/placeholder.ts'

/** The state of a document as page-watch.js last reported it. */
export interface DocumentState {
  /** The URL the document was loaded from. */
  url: string
  contentType: string
  isParsed: boolean
  /** A document that never had scripts does not change after parsing. */
  hasScripts: boolean
  /** Empty if the document has none. */
  openGraphTitle: string
  /** The number of metadata changes so far. */
  changes: number
}

/** The progress of a page; times in milliseconds of one clock. */
export interface LoadProgress {
  documentState: DocumentState | null
  /** When the metadata last changed. */
  changedAtMs: number
  /** When a request that may affect the metadata last ended. */
  loadedAtMs: number
  /** Pending requests that may affect the metadata. */
  loading: number
}

/** Frameworks write their tags in one frame or in consecutive ones. This is three frames. */
const METADATA_QUIET_MS = 50

/** The longest wait after a change while requests are pending: they may add metadata, but may also never end. */
const METADATA_MAX_WAIT_MS = 1_000

/** An idle page without metadata may still be waiting for a timer. */
const NO_METADATA_QUIET_MS = 2_000

/**
 * The time at which the metadata is final if nothing changes until then. Null while only an event or the deadline can
 * end the wait.
 */
export function readyAtMs({ documentState, changedAtMs, loadedAtMs, loading }: LoadProgress): number | null {
  if (documentState === null) return null
  const { isParsed, hasScripts, openGraphTitle: title } = documentState
  const hasMetadata = isParsed && ((title !== '' && !isTemporary(title)) || !hasScripts)
  const quiet = Math.max(changedAtMs, loadedAtMs)
  const latest = changedAtMs + METADATA_MAX_WAIT_MS
  if (hasMetadata) return loading > 0 ? latest : Math.min(latest, quiet + METADATA_QUIET_MS)
  return loading > 0 || !isParsed ? null : quiet + NO_METADATA_QUIET_MS
}
