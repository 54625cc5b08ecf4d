// Sends GET requests at a steady rate over kept connections, whatever the answers take, and measures each answer's time
// from the moment at which its request was due: a server that falls behind cannot hide it by slowing the client down.

export interface Paced {
  /** Milliseconds, ascending. */
  times: number[]
  failures: number
}

interface Connection {
  write(text: string): unknown
  /** When the answer that is under way was due; null while the connection is free. */
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
  /** When each request was due that found no free connection. */
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
          // Answers here are smaller than a segment and come whole.
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
