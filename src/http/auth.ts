import { Elysia } from 'elysia'

import { AppError } from '../core/errors.ts'
import type { SessionService, SignedIn } from '../service/sessions.ts'
import type { Frame } from '../../views/shell.tsx'
import type { Cookies } from './cookies.ts'
import type { Csrf } from './csrf.ts'
import { type Form, readForm } from './form.ts'
import { type NoticeName, noticeOf } from './notices.ts'
import { page } from './page.ts'

export interface AuthDeps {
  sessions: SessionService
  cookies: Cookies
  csrf: Csrf
  /** The public origin. */
  baseUrl: () => string
  version: string
  /** Unix milliseconds. */
  now: () => number
}

/** Options of a page response. */
export interface PageOptions {
  /** The page's path. */
  path: string
  status?: number
  headers?: [name: string, value: string][]
  /** `Set-Cookie` headers. */
  cookies?: string[]
  /** The CSRF token of the page's forms, for visitors without a session. */
  csrf?: string
}

/** The visitor of one request, signed in or not. */
export interface RequestContext {
  signedIn: SignedIn | null
  /** Renders a page, including the visitor's pending notice. */
  render(options: PageOptions, view: (frame: Frame) => string | Promise<string>): Promise<Response>
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

/** How long a notice is kept for the next page. */
const NOTICE_MS = 60_000

/** Pages of the dashboard are private to the visitor. */
const PRIVATE: [string, string] = ['cache-control', 'private, no-store']

/** Authenticates the visitors of the dashboard and checks the CSRF tokens of their forms. */
export function createAuth({ sessions, cookies, csrf, baseUrl, version, now }: AuthDeps) {
  function contextOf(request: Request, signedIn: SignedIn | null, sessionToken: string | null): RequestContext {
    return {
      signedIn,
      render(options, view) {
        const notice = noticeOf(cookies.read(request, 'urlmeta_notice'))
        const frame: Frame = {
          baseUrl: baseUrl(),
          version,
          path: options.path,
          viewer: signedIn && viewerOf(signedIn),
          csrf: sessionToken === null ? (options.csrf ?? '') : csrf.tokenFor(sessionToken),
          nowMs: now(),
          notice,
        }
        const set = notice === null ? options.cookies : [...(options.cookies ?? []), cookies.clear('urlmeta_notice')]
        const headers = [...(options.headers ?? []), PRIVATE, ...setCookies(set)]
        return page(view(frame), { status: options.status ?? 200, headers })
      },
    }
  }

  /** The session of the request, if it is valid. */
  async function sessionOf(request: Request): Promise<{ token: string; signedIn: SignedIn } | null> {
    const token = cookies.read(request, 'urlmeta_session')
    const signedIn = token === null ? null : await sessions.find(token)
    return token === null || signedIn === null ? null : { token, signedIn }
  }

  async function contextFor(request: Request): Promise<RequestContext> {
    const holder = await sessionOf(request)
    return contextOf(request, holder?.signedIn ?? null, holder?.token ?? null)
  }

  /** @throws AppError `sign_in_required`; `form_expired` for a form without a valid token */
  async function requireUser(request: Request): Promise<UserRequest> {
    const holder = await sessionOf(request)
    if (holder === null) throw new AppError('sign_in_required', 'Sign in first.')
    const { token, signedIn } = holder
    const form = request.method === 'POST' ? await readForm(request) : null
    if (form !== null) csrf.check(request, token, form)
    return { context: contextOf(request, signedIn, token), viewer: signedIn, form: form ?? (() => '') }
  }

  return {
    admit: contextFor,

    /** Anonymous, if authentication fails. */
    anonymousContext: (request: Request) => contextOf(request, null, null),

    /** Adds the `visitor` to the routes after it. */
    optionalUser: new Elysia().derive({ as: 'scoped' }, async ({ request }) => ({
      context: await contextFor(request),
    })),

    /** Requires a signed-in user; adds the `visitor`, the `member` and the `form` to the routes after it. */
    signedInUser: new Elysia().derive({ as: 'scoped' }, ({ request }) => requireUser(request)),

    /** The same, for operators only. */
    operatorOnly: new Elysia().derive({ as: 'scoped' }, async ({ request }) => {
      const entry = await requireUser(request)
      if (!entry.viewer.isOperator) throw new AppError('forbidden', 'This page is for operators.')
      return entry
    }),

    /** Redirects to a page after a form, and shows the notice there. */
    redirectWithNotice(
      path: string,
      { notice, cookies: set = [] }: { notice: NoticeName; cookies?: string[] },
    ): Response {
      return redirect(path, [...set, cookies.set('urlmeta_notice', notice, NOTICE_MS)])
    },
  }
}

export type Auth = ReturnType<typeof createAuth>

/** A 303 redirect that is not cached and sends no referrer. */
export function redirect(location: string, cookies: string[] = []): Response {
  const headers: [string, string][] = [['location', location], ['referrer-policy', 'no-referrer'], PRIVATE]
  return new Response(null, { status: 303, headers: [...headers, ...setCookies(cookies)] })
}

function viewerOf({ user, isOperator }: SignedIn): NonNullable<Frame['viewer']> {
  return { email: user.email, name: user.name, isOperator }
}

function setCookies(cookies: string[] = []): [string, string][] {
  return cookies.map((cookie) => ['set-cookie', cookie])
}
