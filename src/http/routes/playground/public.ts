import { ClientLimitError } from '../../../core/errors.ts'
import { FETCH_TIMEOUT_MS, MAX_URL_CHARACTERS } from '../../../core/limits.ts'
import { addressBlock } from '../../../core/net/client-address.ts'
import { completeUrl } from '../../../core/net/typed-url.ts'
import { parseTargetUrl } from '../../../core/net/url.ts'
import { visitorCaller } from '../../../previews/service/preview-caller.ts'
import { PUBLIC_PER_MINUTE } from '../../../service/lookup/playground.ts'
import { PublicPlaygroundPage, type PublicPlaygroundProps } from '../../../../views/playground/public-playground.tsx'
import { refusalHeaders } from '../../api/limit-headers.ts'
import { shownError } from '../../errors/errors.ts'
import { createResultPages } from './result-pages.ts'
import { queryOf } from '../../server/query.ts'
import type { PageOptions, RequestContext } from '../../session/request-context.ts'
import type { Form } from '../../session/form.ts'
import type { PlaygroundContext } from './playground-context.ts'
import { createPlaygroundFetch } from './outcome.ts'

type Shown = Partial<Omit<PublicPlaygroundProps, 'frame'>>

/** The playground without an account: the result is only in the response, and nothing about the visitor is stored. */
export function createPublicPlayground(deps: PlaygroundContext) {
  const { playground, accessLog, clientOf, now } = deps
  const fetchPage = createPlaygroundFetch(deps)
  const pages = createResultPages(deps)

  function render(context: RequestContext, shown: Shown, options: Omit<PageOptions, 'path'> = {}) {
    const props = { url: '', error: '', outcome: null, perMinute: PUBLIC_PER_MINUTE, ...shown }
    return context.render({ path: '/playground', ...options }, PublicPlaygroundPage, props)
  }

  return {
    /** The form, with the URL from the query. */
    show(request: Request, context: RequestContext) {
      return render(context, { url: typedUrl((name) => queryOf(request)(name) ?? '') })
    },

    /** Fetches the page of the form, unless too many requests have come from the client's network in this minute. */
    async submit(request: Request, context: RequestContext, form: Form) {
      const { url } = completeUrl(typedUrl(form))
      // The operator's exceptions for private hosts do not apply to visitors.
      const target = parseTargetUrl(url, [])
      if ('reason' in target) return render(context, { url, error: `Invalid URL: ${target.reason}` }, { status: 400 })
      const network = addressBlock(clientOf(request))
      try {
        await playground.countVisitor(network)
      } catch (error) {
        if (!(error instanceof ClientLimitError)) throw error
        const { error: message, status } = shownError(accessLog, request, error)
        const headers = Object.entries(refusalHeaders(error, now()))
        return render(context, { url, error: message }, { status, headers })
      }
      const caller = visitorCaller(network)
      const options = { url: target.url, timeoutMs: FETCH_TIMEOUT_MS.default, readCache: true, caller }
      const outcome = await fetchPage(request, { ...options, fetch: playground.fetchPublic })
      return render(context, { url, outcome: pages.outcome({ caller }, 'public', outcome) })
    },
  }
}

/** The URL of the form, truncated to one character more than allowed, so that a longer URL is still refused. */
export function typedUrl(form: Form): string {
  return form('url')
    .trim()
    .slice(0, MAX_URL_CHARACTERS + 1)
}
