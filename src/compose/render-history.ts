import type { Config } from '../config.ts'
import type { RenderedHosts } from '../core/fetch/render-history.ts'
import type { Log } from '../log.ts'
import { memoryRenderHistory, type StoredRenderHistory } from '../store/memory/render-history.ts'

/** The hosts whose pages are rendered early; null if that is off. `stored` keeps them across restarts. */
export function openRenderHistory(
  { learnsRendering }: Config,
  stored: RenderedHosts | null,
  log?: Log,
): StoredRenderHistory | null {
  if (!learnsRendering) return null
  return memoryRenderHistory({
    stored,
    now: Date.now,
    onError: (err) => log?.error({ err }, 'writing rendered hosts failed'),
  })
}
