/** What a page's own watcher last said of its document. */
export interface Sight {
  /** Where the document came from. */
  url: string
  /** As the document has it: `text/html`, or what else Chromium shows. */
  contentType: string
  /** Whether the parser is done with it. */
  isParsed: boolean
  /** Without any, it stays as it is once it is parsed. */
  hasScripts: boolean
  /** Some og:title that is not blank and no template. */
  hasOpenGraphTitle: boolean
  /** How often its metadata has changed. */
  changes: number
}

/** What is known of a page while it is waited for; times in milliseconds of one clock. */
export interface Progress {
  sight: Sight | null
  /** When the metadata last changed. */
  changedAtMs: number
  /** When a request that may bring metadata last ended. */
  loadedAtMs: number
  /** Requests under way that may bring metadata. */
  loading: number
}

/** Frameworks write their tags in one go, or from one frame to the next: this is three frames. */
const RICH_QUIET_MS = 50

/** A page that says what it is and still loads something may be about to say more, or may load for ever. */
const RICH_PATIENCE_MS = 1_000

/** A page that has not said what it is yet, and does nothing, may wait for a timer of its own. */
const POOR_QUIET_MS = 2_000

/**
 * When a page's metadata can be taken as final if nothing happens until then; null while only something new, or the
 * deadline, can end the wait.
 */
export function settlesAtMs({ sight, changedAtMs, loadedAtMs, loading }: Progress): number | null {
  if (sight === null) return null
  const isRich = sight.isParsed && (sight.hasOpenGraphTitle || !sight.hasScripts)
  const quiet = Math.max(changedAtMs, loadedAtMs)
  if (isRich)
    return Math.min(changedAtMs + RICH_PATIENCE_MS, loading > 0 ? Number.POSITIVE_INFINITY : quiet + RICH_QUIET_MS)
  return loading > 0 || !sight.isParsed ? null : quiet + POOR_QUIET_MS
}
