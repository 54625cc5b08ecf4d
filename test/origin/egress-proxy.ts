import { connect, createServer, isIPv4, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

/** A small forward proxy on loopback, as companies use. */
export interface TestProxy extends AsyncDisposable {
  port: number
  /** Requested destinations as `host:port`, as the client wrote them. */
  destinations: string[]
  /** The number of connections so far, and of open connections. */
  connections(): number
  open(): number
}

export interface TestProxyOptions {
  kind: 'http' | 'socks5'
  /** Speaks TLS to its clients. */
  tls?: TlsOptions
  /** Required of every client, as `user:password`. */
  credentials?: string
  /** Responds to CONNECT instead of opening a tunnel; only for an HTTP proxy. */
  reply?: (socket: Socket) => void
  /** Called when a client connects, instead of the proxy protocol. */
  onConnect?: (socket: Socket) => void
  /** The real address of a destination; the destination itself by default. */
  addressOf?: (host: string) => string
  /** The real port of a destination; the port itself by default. */
  portOf?: (port: number) => number
}

export async function openTestProxy(options: TestProxyOptions): Promise<TestProxy> {
  const { kind, tls, onConnect } = options
  const sockets = new Set<Socket>()
  const destinations: string[] = []
  let connections = 0

  const greet = (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    if (onConnect) {
      // The end of the connection is only noticed once all bytes before it are read.
      socket.resume()
      return onConnect(socket)
    }
    if (kind === 'http') serveConnect(socket, options, destinations)
    else serveSocks(socket, options, destinations)
  }
  const server: Server = tls ? createTlsServer(tls, greet) : createServer(greet)
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    destinations,
    connections: () => connections,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function serveConnect(
  socket: Socket,
  { credentials, reply, addressOf, portOf }: TestProxyOptions,
  destinations: string[],
): void {
  let head = ''
  const read = (chunk: Buffer) => {
    head += chunk.toString('latin1')
    if (!head.includes('\r\n\r\n')) return
    socket.off('data', read)
    const [, host = '', port = ''] = /^CONNECT (.+):(\d+) HTTP\/1\.1\r\n/.exec(head) ?? []
    destinations.push(`${host}:${port}`)
    const sent = /^proxy-authorization: basic (.*)\r$/im.exec(head)?.[1] ?? ''
    if (credentials !== undefined && Buffer.from(sent, 'base64').toString() !== credentials) {
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n')
    }
    if (reply) return reply(socket)
    tunnel(socket, host.replace(/^\[|\]$/g, ''), (portOf ?? Number)(Number(port)), addressOf, (isOpen) =>
      socket.write(isOpen ? 'HTTP/1.1 200 Connection established\r\n\r\n' : 'HTTP/1.1 502 Bad Gateway\r\n\r\n'),
    )
  }
  socket.on('data', read)
}

/** RFC 1928 and RFC 1929. On loopback, every message of a client arrives in one piece. */
function serveSocks(socket: Socket, { credentials, addressOf }: TestProxyOptions, destinations: string[]): void {
  const [NONE, PASSWORD, NO_METHOD] = [0, 2, 0xff]
  socket.once('data', (greeting: Buffer) => {
    const wanted = credentials === undefined ? NONE : PASSWORD
    if (!greeting.subarray(2).includes(wanted)) return void socket.end(Buffer.from([5, NO_METHOD]))
    socket.write(Buffer.from([5, wanted]))
    if (wanted === NONE) return void socket.once('data', readRequest)
    socket.once('data', (login: Buffer) => {
      const user = login.subarray(2, 2 + login[1]!).toString()
      const password = login.subarray(3 + login[1]!).toString()
      const isAuthorized = `${user}:${password}` === credentials
      socket.once('data', readRequest)
      socket.write(Buffer.from([1, isAuthorized ? 0 : 1]))
    })
  })
  const readRequest = (wanted: Buffer) => {
    const [IPV4, IPV6] = [1, 4]
    const type = wanted[3]
    const length = type === IPV4 ? 4 : 16
    const bytes = wanted.subarray(4, 4 + length)
    const host =
      type === IPV4
        ? [...bytes].join('.')
        : type === IPV6
          ? Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16)).join(':')
          : 'a name'
    const port = wanted.readUInt16BE(4 + length)
    destinations.push(`${host}:${port}`)
    tunnel(socket, host, port, addressOf, (isOpen) =>
      socket.write(Buffer.from([5, isOpen ? 0 : 5, 0, 1, 0, 0, 0, 0, 0, 0])),
    )
  }
}

function tunnel(
  client: Socket,
  host: string,
  port: number,
  addressOf: TestProxyOptions['addressOf'],
  reply: (isOpen: boolean) => void,
): void {
  const address = addressOf?.(host) ?? host
  const upstream = connect({ host: address, port, family: isIPv4(address) ? 4 : 6 })
  upstream.on('connect', () => {
    reply(true)
    client.pipe(upstream).pipe(client)
  })
  upstream.on('error', () => {
    reply(false)
    client.end()
  })
  client.on('close', () => upstream.destroy())
}
