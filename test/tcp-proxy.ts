import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Forwards connections to a local port, and drops responses on request. */
export interface TcpProxy extends AsyncDisposable {
  port: number
  /** How often the client has sent data after the server did: the number of round trips. */
  roundTrips(): number
  /** From now on, closes a connection at the first byte of a response, after the server has received the whole request. */
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
