import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import type { AllowRule } from '../../core/egress.ts'
import { AppError, FetchError } from '../../core/errors.ts'
import { fetchSummary } from '../../core/fetch-summary.ts'
import { parseFetchTimeout } from '../../core/fetch-timeout.ts'
import { FETCH_TIMEOUT_MS } from '../../core/limits.ts'
import { publicTrace } from '../../core/public-trace.ts'
import type { FetchTrace } from '../../core/trace.ts'
import { parseTargetUrl } from '../../core/url.ts'
import type { Pictures } from '../../service/pictures.ts'
import type { Look, Playground } from '../../service/playground.ts'
import type { SignedIn } from '../../service/sessions.ts'
import type { UsageReports } from '../../service/usage-reports.ts'
import { Playground as PlaygroundPage, type PlaygroundProps } from '../../../views/playground.tsx'
import type { Door, Visitor } from '../door.ts'
import { statusOf } from '../errors.ts'
import type { Form } from '../form.ts'
import { queryOf } from '../metadata-query.ts'
import { methodReasonOf } from '../../core/method-reason.ts'
import { errorNote, type Observer } from '../observe.ts'
import { picturePath } from './picture.ts'

export interface PlaygroundRouteParts {
  door: Door
  playground: Playground
  pictures: Pictures
  reports: UsageReports
  observer: Observer
  /** Private destinations that the operator allows. */
  allow: readonly AllowRule[]
}

type Outcome = PlaygroundProps['outcome']

/** `/playground`: a form for the API. A GET only prefills the form; only a POST counts as a request. */
export function playgroundRoutes({ door, playground, pictures, reports, observer, allow }: PlaygroundRouteParts) {
  async function show(visitor: Visitor, { user }: SignedIn, form: PlaygroundProps['form'], outcome: Outcome) {
    const month = await reports.month(user)
    const isFaulty = form.errors.url !== '' || form.errors.timeout !== ''
    return visitor.show({ path: '/playground', status: isFaulty ? 400 : 200 }, (frame) => (
      <PlaygroundPage
        frame={frame}
        form={form}
        outcome={outcome}
        month={month}
        defaultTimeoutMs={FETCH_TIMEOUT_MS.default}
      />
    ))
  }

  function answerOf(member: SignedIn, url: string, { result, cached, reading }: Look): Outcome {
    const link = (picture: string | undefined) =>
      picture === undefined ? null : picturePath(pictures.link(member.user.id, picture))
    return {
      kind: 'answer',
      answer: { url, ...result },
      isCached: cached,
      images: { image: link(result.image), favicon: link(result.favicon) },
      explanation: reading && {
        sources: reading.sources,
        trace: traceFor(member, reading.page.trace),
        methodReason: methodReasonOf(reading.page.trace, result.fetch_method),
      },
    }
  }

  async function outcomeOf(request: Request, member: SignedIn, { url, timeoutMs, isFresh }: Wanted): Promise<Outcome> {
    const trace: FetchTrace = { hops: [] }
    const wanted = { url, caller: member.user.id, timeoutMs, readCache: !isFresh, gone: request.signal }
    observer.note(request, { host: url.host })
    try {
      const look = await playground
        .look(member.user, wanted, trace)
        .finally(() => observer.note(request, fetchSummary(trace)))
      observer.note(request, { cache: look.cached ? 'HIT' : 'MISS' })
      return answerOf(member, url.href, look)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      observer.note(request, errorNote(error))
      const { failure = null, siteStatus = null } = error instanceof FetchError ? error : {}
      const cause = { kind: error.kind, failure, siteStatus }
      const way = trace.hops.length > 0 ? traceFor(member, trace) : null
      return { kind: 'failure', status: statusOf(error), error: error.message, cause, trace: way }
    }
  }

  return new Elysia()
    .use(door.members)
    .get('/playground', ({ request, visitor, member }) => {
      const query = queryOf(request)
      const form = fieldsOf((name) => query(name) ?? '')
      return show(visitor, member, { ...form, errors: { url: '', timeout: '' } }, null)
    })
    .post('/playground', async ({ request, visitor, member, form }) => {
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
          ? await outcomeOf(request, member, { url: target.url, timeoutMs, isFresh: fields.isFresh })
          : null
      return show(visitor, member, { ...fields, errors }, outcome)
    })
}

interface Wanted {
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

/** Operators see their own network; others do not. */
function traceFor({ isOperator }: SignedIn, trace: FetchTrace): FetchTrace {
  return isOperator ? trace : publicTrace(trace)
}
