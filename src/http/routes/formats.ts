import { Elysia } from 'elysia'

import type { MetadataResult, Parameter } from '../../core/formats/format.ts'
import { FORMATS } from '../../core/formats/formats.ts'
import { parseObject, stringAt } from '../../core/oembed/result.ts'
import type { MeteredApi } from '../api/metered-api.ts'
import { responseJson } from '../api/response-json.ts'
import { parseAcceptLanguage } from '../../core/net/language.ts'
import type { IncomingBodies } from '../server/incoming-bodies.ts'
import { ignoredNames } from '../api/ignored-parameters.ts'
import { namesIn, queryIn, queryOf, searchOf } from '../server/query.ts'

/**
 * `/compat/…` and `/oembed`: `GET /v1/metadata` in the formats of other services, with the same checks in the same
 * order. A body is only received and parsed after the key, unless the key may be in the body.
 */
export function formatRoutes({ respond }: MeteredApi, incomingBodies: IncomingBodies) {
  const app = new Elysia()
  for (const format of FORMATS) {
    for (const method of format.methods ?? (['GET'] as const)) {
      app.route(method, format.path, ({ request, params, set }) => {
        let parameter: Parameter | undefined
        let names: string[]
        const known = new Set([...format.keyParameters, ...(format.responseParameters ?? [])])
        const read = async () => {
          if (parameter !== undefined) return parameter
          const sent = parametersOf(request, params, method === 'POST' ? await incomingBodies.textOf(request) : '')
          names = sent.names
          return (parameter = (name) => sent.valueOf(known.add(name) && name))
        }
        return respond(request, set, {
          async keyParameter() {
            const inHeader = (format.keyHeader && request.headers.get(format.keyHeader)?.trim()) || null
            if (inHeader !== null || format.keyParameters.length === 0) return inHeader
            const valueOf = await read()
            return format.keyParameters.map(valueOf).find((value) => value !== null) ?? null
          },
          async query() {
            const valueOf = await read()
            format.check?.(valueOf)
            const { url, bypassesCache = false, language = null } = format.request(valueOf)
            const query = new URLSearchParams({ url: url ?? '', cache: String(!bypassesCache) })
            if (language !== null && parseAcceptLanguage(language) !== null) query.set('language', language)
            if (format.fields !== undefined) query.set('fields', format.fields.join(','))
            return `?${query}`
          },
          ignored: () => ignoredNames(names, (name) => known.has(name)),
          textOf(parameters, result) {
            const metadata = JSON.parse(responseJson(parameters, result)) as MetadataResult
            return JSON.stringify(format.response(metadata, parameter!))
          },
        })
      })
    }
  }
  return app
}

/** Reads a parameter from the path, or else the body (a form or a JSON object), or else the query. */
function parametersOf(request: Request, path: Record<string, string> | undefined, body: string) {
  const query = queryOf(request)
  const json = parseObject(body)
  const form = json === null ? queryIn(body) : (name: string) => stringAt(json, name) || null
  const valueOf: Parameter = (name) => path?.[name] ?? form(name) ?? query(name)
  return { valueOf, names: [...namesIn(searchOf(request)), ...(json === null ? namesIn(body) : Object.keys(json))] }
}
