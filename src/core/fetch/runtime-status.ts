/** The number of running and waiting tasks. Those in reserve slots are reported as waiting. */
export interface Load {
  active: number
  waiting: number
  /** The maximum of running tasks. */
  limit: number
}

/** The state of Chromium, and the load of pages in it. */
export interface ChromiumStatus extends Load {
  /** `off` by configuration; `missing` when none was found; `ready` but not running; `running`; `failed` to start. */
  state: 'off' | 'missing' | 'ready' | 'running' | 'failed'
  /** Its path, its version, or the reason of the failure; '' when unknown. */
  detail: string
}
