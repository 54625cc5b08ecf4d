import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import type { AllowRule } from '../../core/egress.ts'
import { AppError, FetchError } from '../../core/errors.ts'
import { fetchSummary } from '../../core/fetch-summary.ts'
import { parseFetchTimeout } from '../../core/fetch-timeout.ts'
import { FETCH_TIMEOUT_MS } from '../../core/limits.ts'
import { publicTrace } from '../../core/public-trace.ts'
import type { FetchTrace } from '../../core/trace.ts'
import { cacheKeyOf, parseTargetUrl } from '../../core/url.ts'
import type { ImageProxy } from '../../service/image-proxy.ts'
import type { PlaygroundResult, PlaygroundService } from '../../service/playground.ts'
import type { SignedIn } from '../../service/sessions.ts'
import type { UsageReports } from '../../service/usage-reports.ts'
import { PlaygroundPage, type PlaygroundProps } from '../../../views/playground.tsx'
import { tabOf } from '../../../views/playground/result-tabs.tsx'
import type { Auth, RequestContext } from '../auth.ts'
import { statusOf } from '../errors.ts'
import type { Form } from '../form.ts'
import { queryOf } from '../metadata-query.ts'
import { methodReasonOf } from '../../core/method-reason.ts'
import { errorNote, type Observer } from '../observe.ts'
import { imagePath } from './image.ts'

export interface PlaygroundRouteDeps {
  auth: Auth
  playground: PlaygroundService
  imageProxy: ImageProxy
  reports: UsageReports
  observer: Observer
  /** Private destinations that the operator allows. */
  allow: readonly AllowRule[]
}

type Outcome = PlaygroundProps['outcome']

/** `/playground`: a form for the API. A GET only prefills the form; only a POST counts as a request. */
export function playgroundRoutes({ auth, playground, imageProxy, reports, observer, allow }: PlaygroundRouteDeps) {
  async function show(context: RequestContext, { user }: SignedIn, form: PlaygroundProps['form'], outcome: Outcome) {
    const month = await reports.month(user)
    const hasErrors = form.errors.url !== '' || form.errors.timeout !== ''
    return context.render({ path: '/playground', status: hasErrors ? 400 : 200 }, (frame) => (
      <PlaygroundPage
        frame={frame}
        form={form}
        outcome={outcome}
        tab={tabOf('')}
        httpUrl={null}
        month={month}
        defaultTimeoutMs={FETCH_TIMEOUT_MS.default}
      />
    ))
  }

  function successOf(viewer: SignedIn, url: string, { result, cached, details }: PlaygroundResult): Outcome {
    const link = (image: string | undefined) =>
      image === undefined ? null : imagePath(imageProxy.link(viewer.user.id, image))
    return {
      kind: 'success',
      id: '',
      response: { url, ...result },
      cachedAtMs: cached ? Date.parse(result.fetched_at) : null,
      images: { image: link(result.image), favicon: link(result.favicon) },
      explanation: details && {
        sources: details.sources,
        trace: traceFor(viewer, details.page.trace),
        methodReason: methodReasonOf(details.page.trace, result.fetch_method),
      },
    }
  }

  async function outcomeOf(
    request: Request,
    viewer: SignedIn,
    { url, timeoutMs, isFresh }: ParsedForm,
  ): Promise<Outcome> {
    const trace: FetchTrace = { hops: [] }
    const target = { url, cacheKey: cacheKeyOf(url) }
    const lookupRequest = { ...target, userId: viewer.user.id, timeoutMs, readCache: !isFresh, signal: request.signal }
    observer.note(request, { host: url.host })
    try {
      const fetched = await playground
        .fetch(viewer.user, lookupRequest, trace)
        .finally(() => observer.note(request, fetchSummary(trace)))
      const { cached, layer } = fetched
      observer.note(request, { cache: cached ? 'HIT' : 'MISS', ...(layer && { cacheLayer: layer }) })
      return successOf(viewer, url.href, fetched)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      observer.note(request, errorNote(error))
      const { failure = null, siteStatus = null } = error instanceof FetchError ? error : {}
      const cause = { kind: error.kind, failure, siteStatus }
      const visibleTrace = trace.hops.length > 0 ? traceFor(viewer, trace) : null
      return { kind: 'failure', status: statusOf(error), error: error.message, cause, trace: visibleTrace }
    }
  }

  return new Elysia()
    .use(auth.signedInUser)
    .get('/playground', ({ request, context, viewer }) => {
      const query = queryOf(request)
      const form = fieldsOf((name) => query(name) ?? '')
      return show(context, viewer, { ...form, errors: { url: '', timeout: '' } }, null)
    })
    .post('/playground', async ({ request, context, viewer, form }) => {
      const fields = fieldsOf(form)
      const target = parseTargetUrl(fields.url, allow)
      const timeoutMs = parseFetchTimeout(fields.timeout)
      const errors = {
        url: 'reason' in target ? `Invalid URL: ${target.reason}` : '',
        timeout:
          timeoutMs === null ? `A whole number from ${FETCH_TIMEOUT_MS.minimum} to ${FETCH_TIMEOUT_MS.maximum}` : '',
      }
      const outcome =
        'url' in target && timeoutMs !== null
          ? await outcomeOf(request, viewer, { url: target.url, timeoutMs, isFresh: fields.isFresh })
          : null
      return show(context, viewer, { ...fields, errors }, outcome)
    })
}

interface ParsedForm {
  url: URL
  timeoutMs: number
  isFresh: boolean
}

function fieldsOf(form: Form) {
  return {
    url: form('url').trim(),
    timeout: form('timeout').trim() || String(FETCH_TIMEOUT_MS.default),
    isFresh: form('fresh') === 'true',
  }
}

/** The full trace for operators, and the public part for other users. */
function traceFor({ isOperator }: SignedIn, trace: FetchTrace): FetchTrace {
  return isOperator ? trace : publicTrace(trace)
}
