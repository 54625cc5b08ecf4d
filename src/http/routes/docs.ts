import { Elysia } from 'elysia'

import { type Documentation, EXAMPLE_SERVER } from '../../../documents.ts'
import type { ApiDocument } from '../../../views/docs/api-document.ts'
import { DocumentPage } from '../../../views/docs/document.tsx'
import { DocSearchPage } from '../../../views/docs/search.tsx'
import { DocsPage } from '../../../views/docs.tsx'
import { AppError } from '../../core/errors.ts'
import { searchDocuments } from '../pages/doc-search.ts'
import { compressed, createFileEncoder } from '../server/compression.ts'
import { API_HEADERS } from '../server/json.ts'
import { queryOf } from '../server/query.ts'
import { redirect } from '../session/request-context.ts'
import { pathOf } from '../server/request-path.ts'
import type { RouteContext } from './route-context.ts'

/**
 * Loaded with the first page, because few processes serve one, and only once: when the program runs from its source,
 * where this is a macro, a second import at the same time never ends.
 */
const documentation = () =>
  (loading ??= import('../../../views/docs/documents.ts').then(({ DOCUMENTATION }) => DOCUMENTATION))
let loading: Promise<Documentation> | undefined

/**
 * `/openapi.json`: the OpenAPI document, readable by scripts of every origin; `/docs`: the API reference made from it, and
 * the pages and files of docs/; `/card`: the former page about link cards; `/llms.txt` and `/llms-full.txt`: the same for language models.
 */
export function docsRoutes({ auth, openapi, settings, baseUrl }: RouteContext) {
  /** By text: one for each file, until the URL of the server changes. */
  const encoders = new Map<string, ReturnType<typeof createFileEncoder>>()
  /** The file with the path of the request. @throws AppError `not_found` */
  async function fileOf(request: Request): Promise<Response> {
    const { files } = await documentation()
    const path = pathOf(request)
    if (!Object.hasOwn(files, path)) throw new AppError('not_found', 'Not found')
    const text = files[path]!.replaceAll(EXAMPLE_SERVER, baseUrl())
    const { body, headers } = encoders.getOrInsertComputed(text, createFileEncoder)(request)
    return new Response(body, { headers: { ...API_HEADERS, 'content-type': 'text/plain; charset=utf-8', ...headers } })
  }

  return new Elysia()
    .get('/openapi.json', ({ request }) =>
      compressed(request, JSON.stringify(openapi()), {
        headers: { ...API_HEADERS, 'access-control-allow-origin': '*' },
      }),
    )
    .get('/llms.txt', ({ request }) => fileOf(request))
    .get('/llms-full.txt', ({ request }) => fileOf(request))
    .get('/card', () => redirect('/docs/cards'))
    .use(auth.optionalUser)
    .get('/docs', async ({ context }) =>
      context.render({ path: '/docs' }, DocsPage, {
        groups: (await documentation()).groups,
        document: openapi() as ApiDocument,
        plans: Object.values(settings().plans),
      }),
    )
    .get('/docs/search', async ({ request, context }) => {
      const { groups, documents } = await documentation()
      const query = (queryOf(request)('q') ?? '').trim()
      const props = { groups, query, hits: searchDocuments(documents, query) }
      return context.render({ path: '/docs/search' }, DocSearchPage, props)
    })
    .get('/docs/deploy/:name', ({ request }) => fileOf(request))
    .get('/docs/:name', async ({ request, context }) => {
      const { groups, documents } = await documentation()
      const document = documents.find(({ path }) => path === pathOf(request))
      if (document === undefined) return fileOf(request)
      return context.render({ path: document.path }, DocumentPage, { groups, document })
    })
}
