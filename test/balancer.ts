import { connect } from 'node:net'

import { startTcpRelay } from './tcp-relay.ts'

/** How often `/readyz` of each process is requested, in milliseconds. */
const CHECK_MS = 20

/** A check that takes longer counts as failed, in milliseconds. */
const CHECK_TIMEOUT_MS = 5_000

interface Target {
  /** The origin of the load balancer. */
  url: string
}

/**
 * A load balancer for TCP connections: round robin among the processes whose `/readyz` is 200. It does not parse
 * requests, so a failed request is not retried.
 */
export interface Balancer extends AsyncDisposable {
  url: string
  /** Whether the process gets new connections. */
  isReady(target: Target): boolean
}

/** @param targets the current processes; the array may change */
export async function startBalancer(targets: readonly Target[]): Promise<Balancer> {
  let ready: readonly Target[] = []
  let connections = 0
  const stop = new AbortController()

  async function checkAll() {
    while (!stop.signal.aborted) {
      const checked = await Promise.all(targets.map(async (target) => ({ target, isOk: await isReady(target) })))
      ready = checked.filter(({ isOk }) => isOk).map(({ target }) => target)
      await Bun.sleep(CHECK_MS)
    }
  }
  const checking = checkAll()

  const relay = await startTcpRelay((client) => {
    const target = ready[connections++ % ready.length]
    if (target === undefined) return null
    const { hostname, port } = new URL(target.url)
    const upstream = connect(Number(port), hostname)
    client.pipe(upstream).pipe(client)
    return upstream
  })

  return {
    url: `http://127.0.0.1:${relay.port}`,
    isReady: (target) => ready.includes(target),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await checking
      await relay[Symbol.asyncDispose]()
    },
  }
}

async function isReady({ url }: Target): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { keepalive: false, signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}
