import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A TCP server on a free loopback port that connects each client to another server. Disposing it closes all connections. */
export interface TcpRelay extends AsyncDisposable {
  port: number
}

/** @param connectUpstream returns the connection for a client, after it has set up the transfer of data; null closes the client */
export async function startTcpRelay(connectUpstream: (client: Socket) => Socket | null): Promise<TcpRelay> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connectUpstream(client)
    if (upstream === null) return void client.destroy()
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
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
