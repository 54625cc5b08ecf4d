/** Records which hosts have pages that need a browser. The number of hosts is limited. Never throws. */
export interface RenderHistory {
  /** Whether the last pages of the host needed a browser. */
  needsBrowser(host: string): boolean
  /** Records whether a page of the host needed a browser. If not, the host is removed. */
  note(host: string, neededBrowser: boolean): void
}

/** A host whose last pages needed a browser. */
export interface RenderedHost {
  /** With its port, if that is not the default. */
  host: string
  /** Unix milliseconds of a recent page that needed a browser. Not updated with every page. */
  confirmedAtMs: number
}

/** Keeps the hosts of `RenderHistory` across restarts. The number of hosts is limited. */
export interface RenderedHosts {
  /** All hosts, the most recently confirmed first. */
  list(): Promise<RenderedHost[]>
  /** Stores or updates a host. Deletes the least recently confirmed hosts when there are too many. */
  put(host: RenderedHost): Promise<void>
  delete(host: string): Promise<void>
  /** Deletes hosts confirmed before `confirmedBeforeMs` or after `confirmedAfterMs` (wrong clock); returns how many. */
  sweep(confirmedBeforeMs: number, confirmedAfterMs: number): Promise<number>
}
