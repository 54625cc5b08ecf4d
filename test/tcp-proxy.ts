import { connect } from 'node:net'

import { startTcpRelay, type TcpRelay } from './tcp-relay.ts'

/** Forwards connections to a local port, and drops responses on request. */
export interface TcpProxy extends TcpRelay {
  /** How often the client has sent data after the server did: the number of round trips. */
  roundTrips(): number
  /** How many connections were opened so far. */
  opened(): number
  /** From now on, closes a connection at the first byte of a response, after the server has received the whole request. */
  loseResponses(dropsResponses: boolean): void
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  let [roundTrips, opened] = [0, 0]
  let dropsResponses = false
  const relay = await startTcpRelay((client) => {
    opened++
    const upstream = connect(targetPort, '127.0.0.1')
    let startsRoundTrip = true
    client.on('data', (bytes) => {
      if (startsRoundTrip) roundTrips++
      startsRoundTrip = false
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      startsRoundTrip = true
      if (dropsResponses) client.destroy()
      else client.write(bytes)
    })
    return upstream
  })
  return {
    ...relay,
    roundTrips: () => roundTrips,
    opened: () => opened,
    loseResponses: (value) => void (dropsResponses = value),
  }
}
