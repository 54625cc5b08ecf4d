/** Records which hosts have pages that need a browser. The number of hosts is limited. Never throws. */
export interface RenderHistory {
  /** Whether the last pages of the host needed a browser. */
  needsBrowser(host: string): boolean
  /** Records whether a page of the host needed a browser. A page that did not need a browser removes the host. */
  note(host: string, neededBrowser: boolean): void
}

/** The last pages of the host needed a browser. */
export interface RenderedHost {
  /** With its port, if that is not the default. */
  host: string
  /** Unix milliseconds of a recent page that needed a browser. Not updated with every page. */
  confirmedAtMs: number
}

/** Keeps the hosts of `RenderHistory` across restarts. The number of hosts is limited. */
export interface RenderedHosts {
  /** Lists the most recently confirmed host first. */
  list(): Promise<RenderedHost[]>
  /** Stores or updates a host. If there are too many hosts, deletes the least recently confirmed hosts. */
  put(host: RenderedHost): Promise<void>
  delete(host: string): Promise<void>
  /**
   * Deletes hosts confirmed before `confirmedBeforeMs`, or after `confirmedAfterMs` (by a wrong clock). Returns their
   * number.
   */
  sweep(confirmedBeforeMs: number, confirmedAfterMs: number): Promise<number>
}
