import { Elysia } from 'elysia'

import { parseFetchTimeout, FETCH_TIMEOUT_MS } from '../../../core/limits.ts'
import { completeUrl } from '../../../core/net/typed-url.ts'
import { parseTargetUrl } from '../../../core/net/url.ts'
import type { PlaygroundOutcome, PlaygroundRecord, SubmittedForm } from '../../../previews/service/playground-record.ts'
import { MAX_SHARED_PER_USER } from '../../../core/saved-results/ports.ts'
import { userCaller } from '../../../previews/service/preview-caller.ts'
import type { SignedIn } from '../../../service/accounts/sessions.ts'
import { resultPath } from '../../../../views/playground/outcome.ts'
import { tabOf } from '../../../../views/playground/result-tabs.tsx'
import { sharedPath } from '../../../../views/playground/shared.tsx'
import type { SharingProps } from '../../../../views/playground/sharing.tsx'
import { PlaygroundPage, type PlaygroundProps } from '../../../../views/playground/playground.tsx'
import type { UserRequest } from '../../session/auth.ts'
import { type PageOptions, redirect, type RequestContext } from '../../session/request-context.ts'
import type { Form } from '../../session/form.ts'
import { createResultPages } from './result-pages.ts'
import { queryOf } from '../../server/query.ts'
import { createPlaygroundFetch } from './outcome.ts'
import { createPublicPlayground, typedUrl } from './public.ts'
import type { PlaygroundContext } from './playground-context.ts'

/** The properties in which the pages of the playground differ. */
interface Shown extends Partial<Pick<PlaygroundProps, 'outcome' | 'tab' | 'httpUrl'>> {
  form: PlaygroundProps['form']
  path?: PageOptions['path']
  status?: number
  /** The link of the result that was just shared. */
  created?: SharingProps['created']
  /** Why the result was not shared. */
  error?: string
}

type Viewed = Pick<UserRequest, 'context' | 'viewer'> & { request: Request }
type SharingOf = (record: PlaygroundRecord) => Promise<Partial<Shown>>

const NO_ERRORS = { url: '', timeout: '' }

const EMPTY_FORM = { url: '', timeout: String(FETCH_TIMEOUT_MS.default), isFresh: false, errors: NO_ERRORS }

/**
 * `/playground`: a form for the API. A GET only prefills the form; only a POST counts as a request, and redirects to
 * the result's own page, `/playground/results/:id`, from which the result can be shared. Visitors without an account get
 * the public playground, if the operator allows it.
 */
export function playgroundRoutes(deps: PlaygroundContext) {
  const { auth, playground, history, sharing, settings, baseUrl, isPlaygroundPublic } = deps
  const visitors = createPublicPlayground(deps)
  const fetchPage = createPlaygroundFetch(deps)
  const { show, showResult } = createPlaygroundPages(deps)

  /** Shares a result. The link is in this response only, because its token is not stored. */
  async function share(userId: string, { outcome }: PlaygroundRecord) {
    const shared = outcome.kind === 'success' ? await sharing?.share(userId, outcome) : undefined
    if (shared === undefined) return {}
    if (typeof shared === 'string') return { error: SHARING_ERRORS[shared], status: 409 }
    return { created: { url: baseUrl() + sharedPath(shared.token), expiresAtMs: shared.expiresAtMs } }
  }

  /** Parses the form and makes the request, unless the form has errors. */
  async function outcomeOf(request: Request, viewer: SignedIn, form: SubmittedForm): Promise<PlaygroundOutcome> {
    const target = parseTargetUrl(form.url, settings().allow)
    const timeoutMs = parseFetchTimeout(form.timeout)
    if ('url' in target && timeoutMs !== null) {
      return fetchPage(request, {
        url: target.url,
        timeoutMs,
        readCache: !form.isFresh,
        caller: userCaller(viewer.user.id),
        fetch: (readRequest, trace) => playground.fetch(viewer.user, readRequest, trace),
      })
    }
    const range = `A whole number from ${FETCH_TIMEOUT_MS.minimum} to ${FETCH_TIMEOUT_MS.maximum}`
    const url = 'reason' in target ? `Invalid URL: ${target.reason}` : ''
    return { kind: 'invalid', errors: { url, timeout: timeoutMs === null ? range : '' } }
  }

  const start = new Elysia()
    .use(isPlaygroundPublic ? auth.anyVisitor : auth.signedInUser)
    .get('/playground', ({ request, context, viewer }) => {
      if (viewer === null) return visitors.show(request, context)
      const query = queryOf(request)
      const form = { ...formOf((name) => query(name) ?? context.draft?.(name) ?? ''), errors: NO_ERRORS }
      return show(context, viewer, { form })
    })
    .post('/playground', async ({ request, context, viewer, form }) => {
      if (viewer === null) return visitors.submit(request, context, form)
      const typed = formOf(form)
      const { url, isCompleted } = completeUrl(typed.url)
      const submitted = { ...typed, url }
      const outcome = await outcomeOf(request, viewer, submitted)
      const id = await history.save(viewer.user.id, { form: submitted, isCompleted, outcome })
      return redirect(resultPath(id))
    })

  return new Elysia()
    .use(start)
    .use(auth.signedInUser)
    .get('/playground/results/:id', ({ request, context, viewer, params: { id } }) =>
      showResult({ request, context, viewer }, id),
    )
    .post('/playground/results/:id/share', ({ request, context, viewer, params: { id } }) =>
      showResult({ request, context, viewer }, id, (record) => share(viewer.user.id, record)),
    )
    .post('/playground/shared/:id/stop', async ({ viewer, params: { id } }) => {
      await sharing?.stop(viewer.user.id, id)
      return auth.redirectWithNotice('/playground', 'sharing_stopped')
    })
}

/** The pages of a signed-in user. */
function createPlaygroundPages({ history, sharing, reports, imageProxy }: PlaygroundContext) {
  const pages = createResultPages({ imageProxy })

  async function show(context: RequestContext, { user }: SignedIn, shown: Shown) {
    const { path = '/playground', status = 200, form, outcome = null, tab = tabOf(''), httpUrl = null } = shown
    const { created = null, error = '' } = shown
    const [month, shared = []] = await Promise.all([
      reports.month(user),
      outcome === null ? sharing?.list(user.id) : [],
    ])
    return context.render({ path, status }, PlaygroundPage, {
      form,
      outcome,
      tab,
      httpUrl,
      month,
      sharing: sharing && { shared, created, error },
      defaultTimeoutMs: FETCH_TIMEOUT_MS.default,
    })
  }

  /** Shows a stored result, or that it has expired. */
  async function showResult({ request, context, viewer }: Viewed, id: string, sharingOf: SharingOf = async () => ({})) {
    const record = await history.find(viewer.user.id, id)
    if (record === null) return show(context, viewer, { form: EMPTY_FORM, outcome: 'expired', status: 404 })
    const { form, isCompleted, outcome } = record
    const result = { path: resultPath(id), httpUrl: isCompleted ? form.url.replace(/^https:/, 'http:') : null }
    if (outcome.kind === 'invalid') {
      return show(context, viewer, { ...result, form: { ...form, errors: outcome.errors }, status: 400 })
    }
    const resultViewer = { caller: userCaller(viewer.user.id), isOperator: viewer.isOperator }
    return show(context, viewer, {
      ...result,
      form: { ...form, errors: NO_ERRORS },
      outcome: pages.outcome(resultViewer, id, outcome),
      tab: tabOf(queryOf(request)('tab') ?? ''),
      ...(await sharingOf(record)),
    })
  }

  return { show, showResult }
}

const SHARING_ERRORS = {
  too_large: 'This result is too large to share.',
  too_many: `You have ${MAX_SHARED_PER_USER} shared results. Stop sharing one of them on the start page of the playground.`,
}

/** Longer values are invalid. They are truncated, because the form is stored with the result. */
const MAX_TIMEOUT_CHARACTERS = 20

function formOf(form: Form): SubmittedForm {
  return {
    url: typedUrl(form),
    timeout: form('timeout').trim().slice(0, MAX_TIMEOUT_CHARACTERS) || String(FETCH_TIMEOUT_MS.default),
    isFresh: form('fresh') === 'true',
  }
}
