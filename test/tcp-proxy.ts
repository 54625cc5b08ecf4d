import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Passes connections on to a port of this machine, and loses responses when it is told to. */
export interface TcpProxy extends AsyncDisposable {
  port: number
  /** How often the client has sent something after the server had: the round trips of a strict exchange. */
  roundTrips(): number
  /** From now on, the first byte of a response closes its connection; the server has got the whole request. */
  loseResponses(isLosing: boolean): void
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  let roundTrips = 0
  let isLosing = false
  const sockets = new Set<Socket>()

  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1')
    let isClientsTurn = true
    client.on('data', (bytes) => {
      if (isClientsTurn) roundTrips++
      isClientsTurn = false
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      isClientsTurn = true
      if (isLosing) client.destroy()
      else client.write(bytes)
    })
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    roundTrips: () => roundTrips,
    loseResponses: (value) => void (isLosing = value),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
