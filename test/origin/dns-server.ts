import { createSocket } from 'node:dgram'
import { decode, encode, AUTHORITATIVE_ANSWER, type Answer, type Packet } from 'dns-packet'

/** What a name resolves to at its nth query (from 0), for each record type; null for no response. */
export type Zone = Readonly<Record<string, (count: number, type: string) => Records | null>>

export interface Records {
  A?: readonly string[]
  AAAA?: readonly string[]
  /** The CNAME target of the name, which has the addresses. */
  alias?: string
  ttl?: number
  /** Milliseconds before the response is sent. */
  afterMs?: number
  /** A response code other than "no error" (RFC 1035 section 4.1.1). */
  code?: 'SERVFAIL' | 'NXDOMAIN' | 'REFUSED'
}

/** A DNS server on UDP whose responses may change with every query. */
export interface DnsServer extends AsyncDisposable {
  /** In the format of URLMETA_DNS_SERVERS. */
  address: string
  /** Received queries: name and record type. */
  queries: string[]
}

const CODES = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const

export async function openDnsServer(zone: Zone): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const queries: string[] = []
  const counts = new Map<string, number>()
  let isClosed = false

  socket.on('message', (message, peer) => {
    const query = decode(message)
    const question = query.questions?.[0]
    if (question === undefined) return
    const name = question.name.toLowerCase()
    const key = `${name} ${question.type}`
    const count = counts.get(key) ?? 0
    counts.set(key, count + 1)
    queries.push(key)
    const records: Records | null = zone[name] ? zone[name](count, question.type) : { code: 'NXDOMAIN' }
    if (records === null) return
    setTimeout(() => {
      if (!isClosed) socket.send(encode(responseTo(query, name, question.type, records)), peer.port, peer.address)
    }, records.afterMs ?? 0)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', () => resolve()))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    [Symbol.asyncDispose]() {
      isClosed = true
      return new Promise<void>((resolve) => socket.close(() => resolve()))
    },
  }
}

function responseTo(query: Packet, name: string, type: string, records: Records): Packet {
  const { alias, ttl = 0, code } = records
  const owner = alias ?? name
  const addresses = type === 'A' ? (records.A ?? []) : type === 'AAAA' ? (records.AAAA ?? []) : []
  const answers: Answer[] = addresses.map((data) => ({ type: type as 'A' | 'AAAA', name: owner, ttl, data }))
  if (alias !== undefined) answers.unshift({ type: 'CNAME', name, ttl, data: alias })
  return {
    type: 'response',
    flags: AUTHORITATIVE_ANSWER | (code === undefined ? 0 : CODES[code]),
    ...(query.id !== undefined && { id: query.id }),
    ...(query.questions && { questions: query.questions }),
    answers,
  }
}
