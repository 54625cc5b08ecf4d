// Sends GET requests at a constant rate over persistent connections and measures each latency from the time at which the
// request was due, so that a slow server cannot hide its latency by slowing down the client (coordinated omission).

export interface Paced {
  /** Latencies in milliseconds, ascending. */
  times: number[]
  failures: number
}

interface Connection {
  write(text: string): unknown
  /** When the pending request was due; null while the connection is free. */
  dueAt: number | null
}

export interface PacedOptions {
  url: string
  headers: Record<string, string>
  perSecond: number
  seconds: number
  connections: number
}

export async function paced({ url, headers, perSecond, seconds, connections }: PacedOptions): Promise<Paced> {
  const { hostname, port, pathname, search, host } = new URL(url)
  const lines = [`GET ${pathname}${search} HTTP/1.1`, `Host: ${host}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  const request = `${lines.join('\r\n')}\r\n\r\n`

  const result: Paced = { times: [], failures: 0 }
  /** The due times of requests that wait for a free connection. */
  const late: number[] = []
  const free: Connection[] = []
  const send = (connection: Connection, dueAt: number) => {
    connection.dueAt = dueAt
    connection.write(request)
  }

  const sockets = await Promise.all(
    Array.from({ length: connections }, () =>
      Bun.connect<Connection>({
        hostname,
        port: Number(port),
        socket: {
          // Responses are smaller than a segment, so each arrives in one piece.
          data(socket, bytes) {
            const connection = socket.data
            if (connection.dueAt === null) return
            result.times.push(performance.now() - connection.dueAt)
            if (bytes.subarray(9, 12).toString() !== '200') result.failures++
            connection.dueAt = null
            const next = late.shift()
            if (next === undefined) free.push(connection)
            else send(connection, next)
          },
        },
        data: { write: () => {}, dueAt: null },
      }),
    ),
  )
  for (const socket of sockets) {
    socket.data.write = (text) => socket.write(text)
    free.push(socket.data)
  }

  const startedAt = performance.now()
  for (let sent = 0; sent < perSecond * seconds;) {
    const due = Math.min(perSecond * seconds, Math.floor(((performance.now() - startedAt) / 1000) * perSecond))
    for (; sent < due; sent++) {
      const dueAt = startedAt + (sent / perSecond) * 1000
      const connection = free.pop()
      if (connection) send(connection, dueAt)
      else late.push(dueAt)
    }
    await Bun.sleep(1)
  }
  const deadline = performance.now() + 5_000
  while (free.length < connections && performance.now() < deadline) await Bun.sleep(5)
  result.failures += connections - free.length + late.length
  for (const socket of sockets) socket.end()
  result.times.sort((a, b) => a - b)
  return result
}
