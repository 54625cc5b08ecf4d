import { parseAllowRule } from '../../src/core/egress.ts'
import { createRenderer, type RendererDeps } from '../../src/fetch/chromium/renderer.ts'

/** A renderer that may reach the destinations in `allow`; otherwise as in the service. */
export function rendererFor(
  executable: string,
  allow: readonly string[],
  parts: Omit<Partial<RendererDeps>, 'executable'> = {},
) {
  return createRenderer({
    executable,
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
