import type { Readable } from 'node:stream'

import { isRecord, parsedJson } from '../core/json.ts'

/** JSON-RPC 2.0 (https://www.jsonrpc.org/specification). */

/** Error codes of section 5.1. */
export const RPC_ERROR = { parse: -32_700, request: -32_600, method: -32_601, parameters: -32_602, internal: -32_603 }

/** An error whose code and message are sent to the client. All other errors are sent as `Internal error`. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: object,
  ) {
    super(message)
  }
}

type Parameters = Readonly<Record<string, unknown>>

/** The result of each method. Methods run concurrently. The signal aborts when the client cancels the request. */
export type Methods = Readonly<
  Record<string, (parameters: Parameters, signal: AbortSignal) => object | Promise<object>>
>

/** Cancels a request. https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation */
const CANCELED = 'notifications/cancelled'

/** Returns the response to a message; null for notifications, which have no id, for responses, and for canceled requests. */
type Responder = (message: unknown) => Promise<RpcResponse | null>

interface RpcResponse {
  jsonrpc: '2.0'
  id: string | number | null
  result?: object
  error?: { code: number; message: string; data: object | undefined }
}

/** The requests of one connection: a client can cancel its own. */
export function createResponder(methods: Methods): Responder {
  /** By request id. */
  const running = new Map<unknown, AbortController>()

  async function run({ id, method: name, params = {} }: Request): Promise<RpcResponse | null> {
    if (id === undefined) {
      if (name === CANCELED) running.get(params['requestId'])?.abort()
      return null
    }
    // Only one of them could be canceled.
    if (running.has(id)) throw new RpcError(RPC_ERROR.request, 'A request with this id is running')
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined
    if (method === undefined) throw new RpcError(RPC_ERROR.method, `Method not found: ${name}`)
    const controller = new AbortController()
    const { signal } = controller
    running.set(id, controller)
    try {
      const result = await method(params, signal)
      return signal.aborted ? null : { jsonrpc: '2.0', id, result }
    } catch (error) {
      if (signal.aborted) return null
      throw error
    } finally {
      running.delete(id)
    }
  }

  return async (message) => {
    // A response gets none: two programs would answer each other without end.
    if (isRecord(message) && !('method' in message) && ('result' in message || 'error' in message)) return null
    try {
      return await run(requestOf(message))
    } catch (error) {
      return errorResponse(isRecord(message) ? message['id'] : null, error)
    }
  }
}

/**
 * Responds to requests, one message per line, until the input ends and all responses are written. The length of a line
 * is not limited, because the writer of the input has started this process.
 */
export async function serveLines(input: Readable, methods: Methods, write: (line: string) => void): Promise<void> {
  const responseTo = createResponder(methods)

  async function responseToLine(line: string): Promise<object | null> {
    const message = parsedJson(line)
    if (message === undefined) return errorResponse(null, new RpcError(RPC_ERROR.parse, 'Not JSON'))
    if (!Array.isArray(message) || message.length === 0) return await responseTo(message)
    // A batch. Versions of MCP before 2025-06-18 allow batches.
    const responses = (await Promise.all(message.map(responseTo))).filter((one) => one !== null)
    return responses.length > 0 ? responses : null
  }

  async function answer(line: string) {
    const response = await responseToLine(line)
    if (response !== null) write(`${JSON.stringify(response)}\n`)
  }

  const answering = new Set<Promise<void>>()
  for await (const line of linesOf(input)) {
    const answered = answer(line).finally(() => answering.delete(answered))
    answering.add(answered)
  }
  await Promise.all(answering)
}

/**
 * Lines that are not empty. node:readline is not used, because it also ends a line at U+2028, which JSON may contain.
 */
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
  id: string | number | undefined
  method: string
  params?: Parameters
}

export function errorResponse(id: unknown, error: unknown): RpcResponse {
  const { code, message, data } = error instanceof RpcError ? error : new RpcError(RPC_ERROR.internal, 'Internal error')
  return { jsonrpc: '2.0', id: isId(id) ? (id ?? null) : null, error: { code, message, data } }
}

/** Other values are not repeated in a response: writing a deep one takes seconds. */
function isId(id: unknown): id is string | number | undefined {
  return id === undefined || typeof id === 'string' || Number.isFinite(id)
}

function requestOf(message: unknown): Request {
  if (!isRecord(message) || typeof message['method'] !== 'string' || !isId(message['id'])) {
    throw new RpcError(RPC_ERROR.request, 'Not a JSON-RPC request')
  }
  const { id, method, params } = message
  return { id, method, ...(isRecord(params) && { params }) }
}
