import { type Context, Elysia } from 'elysia'

import { MINUTE_MS } from '../../core/duration.ts'
import { AppError } from '../../core/errors.ts'
import { type RateLimiter, requireWithinLimit } from '../../core/usage/rate-limiter.ts'
import type { SessionService, SignedIn } from '../../service/accounts/sessions.ts'
import type { IncomingBodies } from '../server/incoming-bodies.ts'
import { isAccessEnding } from './access-ending.ts'
import { userIdIn } from './csrf.ts'
import { createDrafts } from './drafts.ts'
import { type Form, readForm } from './form.ts'
import type { NoticeName } from './notices.ts'
import {
  createRequestContexts,
  type OpenSession,
  redirect,
  type RequestContext,
  type RequestContextDeps,
} from './request-context.ts'
import { pathOf } from '../server/request-path.ts'

export interface AuthDeps extends RequestContextDeps {
  incomingBodies: IncomingBodies
  sessions: SessionService
  /** Counts the pages of each user. */
  pageLimiter: RateLimiter
}

/**
 * A request of a signed-in user with its form; without a form, every field is ''. This is a type, not an interface,
 * because Elysia requires an implicit index signature.
 */
export type UserRequest = {
  context: RequestContext
  viewer: SignedIn
  form: Form
}

type Routed = Pick<Context, 'request' | 'route'>

export type VisitorRequest = Omit<UserRequest, 'viewer'> & { viewer: null }

/**
 * The maximum number of pages and forms of a user per minute. The slowest page, a log of 2,000 requests, takes up to 40
 * ms of the main thread.
 */
const PAGES_PER_MINUTE = 300

const NO_FORM: Form = () => ''

/** How long a notice is kept for the next page. */
const NOTICE_MS = MINUTE_MS

/** Authenticates requests to the dashboard and checks the CSRF tokens of forms. */
export function createAuth(deps: AuthDeps) {
  const { sessions, pageLimiter, cookies, csrf, incomingBodies, now } = deps
  const drafts = createDrafts(cookies)
  const createContext = createRequestContexts(deps, drafts)

  /** Null without a valid session. */
  async function sessionOf(request: Request): Promise<OpenSession | null> {
    const token = cookies.read(request, 'urlmeta_session')
    const signedIn = token === null ? null : await sessions.find(token)
    return token === null || signedIn === null ? null : { token, signedIn }
  }

  const contextFor = async (request: Request) => createContext(request, await sessionOf(request))

  /** @throws AppError `sign_in_required` */
  async function requireSession(request: Request): Promise<OpenSession> {
    const session = await sessionOf(request)
    if (session === null) throw new AppError('sign_in_required', 'Sign in first.')
    return session
  }

  const formOf = (request: Request) => (request.method === 'POST' ? readForm(request, incomingBodies) : null)

  /** @throws ClientLimitError */
  const countPage = ({ user }: SignedIn) =>
    requireWithinLimit(pageLimiter, 'page_limit', { key: user.id, limit: PAGES_PER_MINUTE }, now())

  /** @throws AppError `form_expired` for a form without a valid token; `sign_in_required`; ClientLimitError */
  async function requestOfUser({ request, route }: Routed, session: OpenSession): Promise<UserRequest> {
    if (!isAccessEnding(request.method, route)) await countPage(session.signedIn)
    const form = await formOf(request)
    if (form === null) return { context: createContext(request, session), viewer: session.signedIn, form: NO_FORM }
    // A client can take half a minute to send the form, and its session may have ended meanwhile.
    const current = await requireSession(request)
    csrf.check(request, current.token, form)
    return { context: createContext(request, current), viewer: current.signedIn, form }
  }

  const requireUser = async (routed: Routed) => requestOfUser(routed, await requireSession(routed.request))

  /** @throws AppError `form_expired`; without a session, only for a form from another site */
  async function requestOfVisitor({ request, route }: Routed): Promise<UserRequest | VisitorRequest> {
    const session = await sessionOf(request)
    if (session !== null) return requestOfUser({ request, route }, session)
    const form = await formOf(request)
    if (form !== null) csrf.checkSite(request)
    return { context: createContext(request, null), viewer: null, form: form ?? NO_FORM }
  }

  return {
    /** The context of an error page: without a user if authentication fails. */
    errorContext: (request: Request) => contextFor(request).catch(() => createContext(request, null)),

    /** Adds `context` to the routes after it. */
    optionalUser: new Elysia().derive({ as: 'scoped' }, async ({ request }) => ({
      context: await contextFor(request),
    })),

    /** Requires a signed-in user; adds `context`, `viewer` and `form` to the routes after it. */
    signedInUser: new Elysia().derive({ as: 'scoped' }, ({ request, route }) => requireUser({ request, route })),

    /** Like `signedInUser`; without a session, `viewer` is null and a form needs no token. */
    anyVisitor: new Elysia().derive({ as: 'scoped' }, ({ request, route }) => requestOfVisitor({ request, route })),

    /** Like `signedInUser`, for operators only. */
    operatorOnly: new Elysia().derive({ as: 'scoped' }, async ({ request, route }) => {
      const userRequest = await requireUser({ request, route })
      if (!userRequest.viewer.isOperator) throw new AppError('forbidden', 'This page is for operators.')
      return userRequest
    }),

    /** Cookies that keep a form of this site until the user has signed in again. */
    async draftCookies(request: Request): Promise<string[]> {
      const path = pathOf(request)
      const token = cookies.read(request, 'urlmeta_session')
      if (token === null || !drafts.isKept(path)) return []
      const form = await readForm(request, incomingBodies)
      return csrf.isValid(request, token, form) ? drafts.save(path, form, userIdIn(form)) : []
    },

    redirectWithNotice: (path: string, notice: NoticeName, set: string[] = []): Response =>
      redirect(path, [...set, cookies.set('urlmeta_notice', notice, NOTICE_MS)]),
  }
}

export type Auth = ReturnType<typeof createAuth>
