import type { SiteRule } from '../../src/core/sites/site-rule.ts'
import type { ChromiumSource } from '../../src/fetch/chromium/engine.ts'
import { createRenderer, type RendererDeps } from '../../src/fetch/chromium/renderer.ts'
import { PATIENT_RESPONSE_MS } from '../patience.ts'
import { networkOptionsFor } from './network-options.ts'

/**
 * A renderer with the Chromium at a path, or with a running one. It may reach the destinations in `allow`, and waits
 * long for the browser; otherwise as in the service.
 */
export function rendererFor(
  chromium: string | ChromiumSource,
  allow: readonly string[],
  { sites = [], ...parts }: Omit<Partial<RendererDeps>, 'chromium'> & { sites?: readonly SiteRule[] } = {},
) {
  return createRenderer({
    chromium: typeof chromium === 'string' ? { executable: chromium } : chromium,
    ...networkOptionsFor(allow, sites),
    concurrency: 2,
    userAgent: null,
    responseMs: PATIENT_RESPONSE_MS,
    ...parts,
  })
}
