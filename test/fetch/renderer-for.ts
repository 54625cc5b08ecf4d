import type { ChromiumSource } from '../../src/fetch/chromium/engine.ts'
import { createRenderer, type RendererDeps } from '../../src/fetch/chromium/renderer.ts'
import { networkOptionsFor } from './network-options.ts'

/** A busy machine must not look like a browser that does not respond. */
export const PATIENT_BROWSER_MS = 60_000

/**
 * A renderer with the Chromium at a path, or with a running one. It may reach the destinations in `allow`, and waits
 * long for the browser; otherwise as in the service.
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
    responseMs: PATIENT_BROWSER_MS,
    ...parts,
  })
}
