import { Readable } from 'node:stream'

/** JSON-RPC 2.0 (https://www.jsonrpc.org/specification), one message per line. */

/** Error codes of section 5.1. */
export const RPC_ERROR = { parse: -32_700, request: -32_600, method: -32_601, parameters: -32_602, internal: -32_603 }

/** An error for the client. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

type Parameters = Readonly<Record<string, unknown>>

/** As for `urlmeta fetch`: more fetches at once would wait for each other until they time out. */
const CONCURRENCY = 32

/** The result of each method. Methods run concurrently. */
export type Methods = Readonly<Record<string, (parameters: Parameters) => object | Promise<object>>>

/**
 * Answers the requests of the input until it ends and all are answered. Notifications, which have no id, are ignored. The length
 * of a line is not limited: who writes the input has started this process.
 */
export async function serveJsonRpc(input: Readable, methods: Methods, write: (line: string) => void): Promise<void> {
  const send = (message: object) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

  async function answer(line: string) {
    let id: unknown = null
    try {
      const request = parseRequest(line)
      if (request.id === undefined) return
      id = request.id
      const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined
      if (method === undefined) throw new RpcError(RPC_ERROR.method, `Method not found: ${request.method}`)
      send({ id, result: await method(request.params ?? {}) })
    } catch (error) {
      const { code, message } =
        error instanceof RpcError ? error : { code: RPC_ERROR.internal, message: 'Internal error' }
      send({ id, error: { code, message } })
    }
  }

  await Readable.from(linesOf(input)).forEach(answer, { concurrency: CONCURRENCY })
}

/** Lines that are not empty. Not of node:readline, which also ends a line at U+2028, which JSON may contain. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  let begun = ''
  for await (const chunk of input.setEncoding('utf8') as AsyncIterable<string>) {
    const [end = '', ...lines] = chunk.split('\n')
    begun += end
    for (const line of lines) {
      if (begun.trim() !== '') yield begun
      begun = line
    }
  }
  if (begun.trim() !== '') yield begun
}

interface Request {
  /** Undefined for a notification. */
  id: unknown
  method: string
  params?: Parameters
}

function parseRequest(line: string): Request {
  const message = parseJson(line)
  if (!isObject(message) || typeof message['method'] !== 'string') {
    throw new RpcError(RPC_ERROR.request, 'Not a JSON-RPC request')
  }
  const { id, method, params } = message
  return { id, method, ...(isObject(params) && { params }) }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new RpcError(RPC_ERROR.parse, 'Not JSON')
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
