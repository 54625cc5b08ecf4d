import { Elysia } from 'elysia'

import { AppError } from '../../core/errors.ts'
import { EXTRA_NAMES, PAGE_EXTRA_NAMES } from '../../core/extract/fields/extra.ts'
import { isBrowserKey } from '../../core/accounts/key-settings.ts'
import { isRecord, parsedJson } from '../../core/json.ts'
import { createResponder, errorResponse, RPC_ERROR, RpcError } from '../../mcp/json-rpc.ts'
import { PAGE_CHECK_SCHEMA, type PageRequest, pageTools } from '../../mcp/page-tools.ts'
import { methodsOf, requireVersion, STATELESS_VERSION, statelessVersionOf } from '../../mcp/protocol.ts'
import type { MeteredApi, MeteredFormat } from '../api/metered-api.ts'
import { refusalHeaders } from '../api/limit-headers.ts'
import { type LinkImage, responseWith } from '../api/response-json.ts'
import type { MetadataParameters } from '../api/metadata-query.ts'
import { metadataSchema } from '../api/schema.ts'
import type { CachedReadResult } from '../../service/lookup/stored-results.ts'
import { type AccessLog, errorFields } from '../server/access-log.ts'
import type { IncomingBodies } from '../server/incoming-bodies.ts'
import { json } from '../server/json.ts'
import type { PreviewServices } from './playground/playground-context.ts'

/** The error code for headers that contradict the message. */
const HEADER_MISMATCH = -32_020

export interface McpRouteDeps extends Pick<PreviewServices, 'checkPage' | 'appIds'> {
  incomingBodies: IncomingBodies
  api: MeteredApi
  accessLog: AccessLog
  linkImage: LinkImage
  now: () => number
}

/**
 * `POST /mcp`: the Model Context Protocol over HTTP, without sessions or streams. Every message needs a key; only calls of
 * tools count like requests of `GET /v1/metadata`, and are in the user's request log.
 */
export function mcpRoutes(deps: McpRouteDeps) {
  const { api, accessLog, incomingBodies, linkImage, checkPage, appIds, now } = deps
  const outputSchema = metadataSchema()
  const metadataText = responseWith(linkImage)
  const extra = linkImage === null ? PAGE_EXTRA_NAMES : EXTRA_NAMES

  return new Elysia().post('/mcp', async ({ request, set }) => {
    const exchange = { request, set }
    const key = await api.authenticate(exchange, () => bearerOf(request))
    const message = parsedJson(await incomingBodies.textOf(request))
    const isCall = isRecord(message) && message['method'] === 'tools/call' && message['id'] !== undefined
    if (!isCall) accessLog.attribute(request, null)
    if (message === undefined) return rejection(null, new RpcError(RPC_ERROR.parse, 'Not JSON'))
    if (!isRecord(message)) return rejection(null, new RpcError(RPC_ERROR.request, 'Not a JSON-RPC message'))
    let isStateless = false
    try {
      isStateless = checkHeaders(request.headers, message)
    } catch (error) {
      return rejection(message['id'], error)
    }
    let answered: Response | undefined
    let problem: unknown
    /**
     * Reads a page like a request of the API. If its tags are needed, the cache is bypassed, because the owner may have
     * corrected the page.
     */
    async function read<Content>(
      { url, timeoutMs, language, fields }: Omit<PageRequest, 'apps'>,
      contentOf: (...result: Parameters<MeteredFormat['textOf']>) => Content,
      listsTags = false,
    ): Promise<Content> {
      const query = new URLSearchParams({ url, timeout: String(timeoutMs), cache: String(!listsTags) })
      if (language !== undefined) query.set('language', language)
      if (fields !== null) query.set('fields', fields.join())
      let content: Content
      answered = await api.answer(exchange, key, {
        query: () => `?${query}`,
        ignored: () => null,
        textOf(...result) {
          content = contentOf(...result)
          return ''
        },
        listsTags,
      })
      return content!
    }
    const tools = pageTools(
      { extra, apps: appIds },
      {
        get_metadata: {
          outputSchema,
          call: (called) => read(called, (...result) => JSON.parse(metadataText(...result))),
        },
        check_page: {
          outputSchema: PAGE_CHECK_SCHEMA,
          async call({ apps, ...called }) {
            const pageOf = ({ target: { url } }: MetadataParameters, { json: text, details }: CachedReadResult) => ({
              url: url.href,
              json: text,
              details,
            })
            const caller = { userId: key.userId, publicOnly: isBrowserKey(key) }
            const options = { apps, signal: request.signal, readCache: false }
            return (await checkPage(caller, await read(called, pageOf, true), options)).check
          },
        },
      },
    )
    const response = await createResponder(methodsOf(tools, (error) => (problem = error)))(message)
    if (response === null) return new Response(null, { status: 202 })
    // The client gets an error without details, and the operator the error itself.
    if (problem !== undefined && !(problem instanceof AppError)) throw problem
    if (problem !== undefined) accessLog.add(request, errorFields(problem))
    else if (response.error) accessLog.add(request, { outcome: 'invalid_request' })
    const refused = problem === undefined ? {} : refusalHeaders(problem, now())
    const status = isStateless && response.error?.code === RPC_ERROR.method ? 404 : 200
    return json(response, { status, headers: { ...Object.fromEntries(answered?.headers ?? []), ...refused } })
  })
}

const rejection = (id: unknown, error: unknown) => json(errorResponse(id, error), { status: 400 })

/** The key of clients that can send only `Authorization: Bearer …`. */
function bearerOf({ headers }: Request): string | null {
  return /^bearer +(.+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null
}

/**
 * Checks the version that the message or the header names, and the headers that must repeat parts of the message
 * (https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata). After a
 * handshake, only the version is in a header.
 * @returns whether there was no handshake
 * @throws RpcError
 */
function checkHeaders(headers: Headers, { method, params }: Record<string, unknown>): boolean {
  const named = isRecord(params) ? params : {}
  const version = statelessVersionOf(named)
  const header = headers.get('mcp-protocol-version')
  const isAgreed = () => header === null || method === 'initialize' || requireVersion(header) !== STATELESS_VERSION
  if (version === null && isAgreed()) return false
  const expected = { 'MCP-Protocol-Version': version, 'Mcp-Method': method, 'Mcp-Name': named['name'] }
  for (const [name, value] of Object.entries(expected)) {
    const given = headers.get(name)
    if (value === undefined || (name === 'Mcp-Name' ? decoded(given) : given) === value) continue
    const required = typeof value === 'string' ? value : 'that of the message'
    throw new RpcError(HEADER_MISMATCH, `The header ${name} must be ${required}`)
  }
  return true
}

/** Names that a header cannot have are in Base64 (#value-encoding). */
function decoded(name: string | null): string | null {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(name ?? '')?.[1]
  return encoded === undefined ? name : Buffer.from(encoded, 'base64').toString()
}
