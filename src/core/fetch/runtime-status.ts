/** The number of running and waiting tasks. A task in a reserve slot counts as waiting. */
export interface Load {
  active: number
  waiting: number
  /** The maximum of running tasks. */
  limit: number
}

/** The state of Chromium, and the number of pages in it. */
export interface ChromiumStatus extends Load {
  /** `off` by configuration; `missing` when none was found; `ready` but not running; `running`; `failed` to start. */
  state: 'off' | 'missing' | 'ready' | 'running' | 'failed'
  /** Its path, its version, or the reason of the failure; '' when unknown. */
  detail: string
}
