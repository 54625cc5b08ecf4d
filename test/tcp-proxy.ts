import { connect } from 'node:net'

import { startTcpRelay, type TcpRelay } from './tcp-relay.ts'

/** Passes connections on to a port of this machine, and loses responses when it is told to. */
export interface TcpProxy extends TcpRelay {
  /** How often the client has sent something after the server had: the round trips of a strict exchange. */
  roundTrips(): number
  /** From now on, the first byte of a response closes its connection; the server has got the whole request. */
  loseResponses(isLosing: boolean): void
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  let roundTrips = 0
  let isLosing = false
  const relay = await startTcpRelay((client) => {
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
    return upstream
  })
  return {
    ...relay,
    roundTrips: () => roundTrips,
    loseResponses: (value) => void (isLosing = value),
  }
}
