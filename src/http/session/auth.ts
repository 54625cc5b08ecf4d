import { Elysia } from 'elysia'

import { MINUTE_MS } from '../../core/duration.ts'
import { AppError } from '../../core/errors.ts'
import { type RateLimiter, requireWithinLimit } from '../../core/usage/rate-limiter.ts'
import type { SessionService, SignedIn } from '../../service/accounts/sessions.ts'
import type { Frame } from '../../../views/shell.tsx'
import type { IncomingBodies } from '../server/incoming-bodies.ts'
import type { Cookies } from './cookies.ts'
import { type Csrf, userIdIn } from './csrf.ts'
import { createDrafts } from './drafts.ts'
import { type Form, readForm } from './form.ts'
import { type NoticeName, noticeOf } from './notices.ts'
import { page } from '../server/page.ts'
import { pathOf } from '../server/request-path.ts'

export interface AuthDeps {
  incomingBodies: IncomingBodies
  sessions: SessionService
  /** Counts the pages of each user. */
  pageLimiter: RateLimiter
  cookies: Cookies
  csrf: Csrf
  /** The public origin. */
  baseUrl: () => string
  version: string
  /** Whether visitors without an account can use the playground. */
  isPlaygroundPublic: boolean
  now: () => number
}

/** Options of a page response. */
export interface PageOptions {
  path: string
  status?: number
  headers?: [name: string, value: string][]
  cookies?: string[]
  /** The CSRF token of the page's forms when there is no session. */
  csrf?: string
}

/** The session of one request, if any, and page rendering. */
export interface RequestContext {
  signedIn: SignedIn | null
  /** What was typed into the form of this page before the session ended; null if there is nothing. */
  draft: Form | null
  /** Renders a page with its frame, including the pending notice. */
  render<Props extends { frame: Frame }>(
    options: PageOptions,
    view: (props: Props) => string | Promise<string>,
    props: Omit<Props, 'frame'>,
  ): Promise<Response>
}

/**
 * A request of a signed-in user with its form; without a form, every field is ''. A type and not an interface, because
 * Elysia requires an implicit index signature.
 */
export type UserRequest = {
  context: RequestContext
  viewer: SignedIn
  form: Form
}

/** A request of a visitor without a session, and its form. */
export type VisitorRequest = Omit<UserRequest, 'viewer'> & { viewer: null }

/** A valid session and its token. */
interface OpenSession {
  token: string
  signedIn: SignedIn
}

/** Pages and forms of a user per minute. The slowest, a log of 2,000 requests, takes up to 40 ms of the main thread. */
const PAGES_PER_MINUTE = 300

const NO_FORM: Form = () => ''

/** How long a notice is kept for the next page. */
const NOTICE_MS = MINUTE_MS

/** Pages of the dashboard must not be stored in shared caches. */
const PRIVATE: [string, string] = ['cache-control', 'private, no-store']

/** Authenticates requests to the dashboard and checks the CSRF tokens of forms. */
export function createAuth(deps: AuthDeps) {
  const { sessions, pageLimiter, cookies, csrf, incomingBodies, baseUrl, version, isPlaygroundPublic, now } = deps
  const drafts = createDrafts(cookies)

  function createContext(request: Request, session: OpenSession | null): RequestContext {
    const signedIn = session?.signedIn ?? null
    const isShown = signedIn !== null && request.method === 'GET'
    const draft = isShown ? drafts.find(request, pathOf(request), signedIn.user.id) : null
    return {
      signedIn,
      draft,
      render(options, view, props) {
        const notice = noticeOf(cookies.read(request, 'urlmeta_notice'))
        const frame: Frame = {
          baseUrl: baseUrl(),
          version,
          path: options.path,
          viewer: signedIn && { ...signedIn.user, isOperator: signedIn.isOperator },
          csrf: session ? csrf.tokenFor(session.token, session.signedIn.user.id) : (options.csrf ?? ''),
          nowMs: now(),
          isPlaygroundPublic,
          notice,
          isFormResult: request.method === 'POST',
        }
        const set = [...(options.cookies ?? [])]
        if (notice !== null) set.push(cookies.clear('urlmeta_notice'))
        if (draft !== null) set.push(cookies.clear('urlmeta_draft'))
        const headers = [...(options.headers ?? []), PRIVATE, ...setCookies(set)]
        const isPublic = signedIn === null && frame.csrf === ''
        const markup = view({ ...props, frame } as Parameters<typeof view>[0])
        return page(markup, { status: options.status ?? 200, headers, compressFor: isPublic ? request : null })
      },
    }
  }

  /** The session of the request, if it is valid. */
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
  async function requestOfUser(request: Request, session: OpenSession): Promise<UserRequest> {
    await countPage(session.signedIn)
    const form = await formOf(request)
    if (form === null) return { context: createContext(request, session), viewer: session.signedIn, form: NO_FORM }
    // A client can take half a minute to send the form, and its session may have ended meanwhile.
    const current = await requireSession(request)
    csrf.check(request, current.token, form)
    return { context: createContext(request, current), viewer: current.signedIn, form }
  }

  const requireUser = async (request: Request) => requestOfUser(request, await requireSession(request))

  /** @throws AppError `form_expired`, also for a form without a session that another site has sent */
  async function requestOfVisitor(request: Request): Promise<UserRequest | VisitorRequest> {
    const session = await sessionOf(request)
    if (session !== null) return requestOfUser(request, session)
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
    signedInUser: new Elysia().derive({ as: 'scoped' }, ({ request }) => requireUser(request)),

    /** Like `signedInUser`; without a session, `viewer` is null and a form needs no token. */
    anyVisitor: new Elysia().derive({ as: 'scoped' }, ({ request }) => requestOfVisitor(request)),

    /** Like `signedInUser`, for operators only. */
    operatorOnly: new Elysia().derive({ as: 'scoped' }, async ({ request }) => {
      const userRequest = await requireUser(request)
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

    /** Redirects to a page after a form, and shows the notice there. */
    redirectWithNotice: (path: string, notice: NoticeName, set: string[] = []): Response =>
      redirect(path, [...set, cookies.set('urlmeta_notice', notice, NOTICE_MS)]),
  }
}

export type Auth = ReturnType<typeof createAuth>

/** A 303 redirect that is not cached and sends no referrer. */
export function redirect(location: string, cookies: string[] = []): Response {
  const headers: [string, string][] = [['location', location], ['referrer-policy', 'no-referrer'], PRIVATE]
  return new Response(null, { status: 303, headers: [...headers, ...setCookies(cookies)] })
}

const setCookies = (cookies: string[]): [string, string][] => cookies.map((cookie) => ['set-cookie', cookie])
