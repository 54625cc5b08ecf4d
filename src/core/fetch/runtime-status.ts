/** The number of running and waiting tasks. A task in a reserve slot counts as waiting. */
export interface Load {
  active: number
  waiting: number
  /** The maximum number of running tasks. */
  limit: number
}

/** The state of Chromium, and the number of pages in Chromium. */
export interface ChromiumStatus extends Load {
  /** `off` by configuration; `missing` if not found; `ready` but not running; `running`; `failed` to start. */
  state: 'off' | 'missing' | 'ready' | 'running' | 'failed'
  /** The path, the version, or the reason of the failure; '' if unknown. */
  detail: string
}
