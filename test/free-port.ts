/** Below the ephemeral ports, so that no connection takes a port before it is used. */
const FIRST_PORT = 12_000
const PORTS = 20_000

/** A loopback port on which nothing listens. */
export function freePort(): number {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS)
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
      return port
    } catch {
      // Another server listens on it.
    }
  }
}
