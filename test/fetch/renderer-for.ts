import { parseAllowRule } from '../../src/core/net/egress.ts'
import type { ChromiumSource } from '../../src/fetch/chromium/engine.ts'
import { createRenderer, type RendererDeps } from '../../src/fetch/chromium/renderer.ts'

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
    allow: allow.map((text) => parseAllowRule(text) ?? expected(text)),
    dnsServers: null,
    ownPorts: () => [],
    concurrency: 2,
    userAgent: null,
    ...parts,
  })
}

function expected(text: string): never {
  throw new Error(`not an allow rule: ${text}`)
}
