import type { ChromiumSource } from '../../src/fetch/chromium/engine.ts'
import { createRenderer, type RendererDeps } from '../../src/fetch/chromium/renderer.ts'
import { networkOptionsFor } from './network-options.ts'

/**
 * A renderer with the Chromium at a path, or with a running one. It may reach the destinations in `allow`; otherwise as
 * in the service.
 */
export function rendererFor(
  chromium: string | ChromiumSource,
  allow: readonly string[],
  parts: Omit<Partial<RendererDeps>, 'chromium'> = {},
) {
  return createRenderer({
    chromium: typeof chromium === 'string' ? { executable: chromium } : chromium,
    ...networkOptionsFor(allow),
    concurrency: 2,
    userAgent: null,
    ...parts,
  })
}
