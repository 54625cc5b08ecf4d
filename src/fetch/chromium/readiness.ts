/** The state of a document as page-watch.js last reported it. */
export interface DocumentState {
  /** The URL the document was loaded from. */
  url: string
  /** The document's content type, such as `text/html`. */
  contentType: string
  /** Whether parsing has finished. */
  isParsed: boolean
  /** A document without scripts does not change after parsing. */
  hasScripts: boolean
  /** Whether there is an og:title that is neither blank nor a template. */
  hasOpenGraphTitle: boolean
  /** The number of changes of its metadata so far. */
  changes: number
}

/** The progress of a page; times in milliseconds of one clock. */
export interface LoadProgress {
  documentState: DocumentState | null
  /** When the metadata last changed. */
  changedAtMs: number
  /** When a request that may bring metadata last ended. */
  loadedAtMs: number
  /** Pending requests that may bring metadata. */
  loading: number
}

/** Frameworks write their tags at once or within consecutive frames; this is three frames. */
const RICH_QUIET_MS = 50

/** A page with metadata that still loads something may add more, or may load forever. */
const RICH_PATIENCE_MS = 1_000

/** An idle page without metadata may be waiting for a timer of its own. */
const POOR_QUIET_MS = 2_000

/**
 * The time at which the metadata counts as final if nothing changes before; null while only another event or the
 * deadline can end the wait.
 */
export function readyAtMs({ documentState, changedAtMs, loadedAtMs, loading }: LoadProgress): number | null {
  if (documentState === null) return null
  const isRich = documentState.isParsed && (documentState.hasOpenGraphTitle || !documentState.hasScripts)
  const quiet = Math.max(changedAtMs, loadedAtMs)
  if (isRich)
    return Math.min(changedAtMs + RICH_PATIENCE_MS, loading > 0 ? Number.POSITIVE_INFINITY : quiet + RICH_QUIET_MS)
  return loading > 0 || !documentState.isParsed ? null : quiet + POOR_QUIET_MS
}
