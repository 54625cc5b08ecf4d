import { Elysia } from 'elysia'

import { AppError } from '../core/errors.ts'
import type { SessionKeeper, SignedIn } from '../service/sessions.ts'
import type { Frame } from '../../views/shell.tsx'
import type { Cookies } from './cookies.ts'
import type { Csrf } from './csrf.ts'
import { type Form, readForm } from './form.ts'
import { type NoticeName, noticeOf } from './notices.ts'
import { page } from './page.ts'

export interface DoorParts {
  sessions: SessionKeeper
  cookies: Cookies
  csrf: Csrf
  /** The public origin. */
  baseUrl: () => string
  version: string
  /** Unix milliseconds. */
  now: () => number
}

/** Options of a page response. */
export interface Shown {
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
export interface Visitor {
  signedIn: SignedIn | null
  /** Renders a page, including the visitor's pending notice. */
  show(shown: Shown, view: (frame: Frame) => string | Promise<string>): Promise<Response>
}

/**
 * A request of a signed-in user with its form; without a form, every field is ''. A type and not an interface, because
 * Elysia requires an implicit index signature.
 */
export type Entry = {
  visitor: Visitor
  member: SignedIn
  form: Form
}

/** How long a notice is kept for the next page. */
const NOTICE_MS = 60_000

/** Pages of the dashboard are private to the visitor. */
const PRIVATE: [string, string] = ['cache-control', 'private, no-store']

/** Authenticates the visitors of the dashboard and checks the CSRF tokens of their forms. */
export function createDoor({ sessions, cookies, csrf, baseUrl, version, now }: DoorParts) {
  function visitorOf(request: Request, signedIn: SignedIn | null, sessionToken: string | null): Visitor {
    return {
      signedIn,
      show(shown, view) {
        const notice = noticeOf(cookies.read(request, 'urlmeta_notice'))
        const frame: Frame = {
          baseUrl: baseUrl(),
          version,
          path: shown.path,
          viewer: signedIn && viewerOf(signedIn),
          csrf: sessionToken === null ? (shown.csrf ?? '') : csrf.tokenFor(sessionToken),
          nowMs: now(),
          notice,
        }
        const set = notice === null ? shown.cookies : [...(shown.cookies ?? []), cookies.clear('urlmeta_notice')]
        const headers = [...(shown.headers ?? []), PRIVATE, ...setCookies(set)]
        return page(view(frame), { status: shown.status ?? 200, headers })
      },
    }
  }

  /** The session of the request, if it is valid. */
  async function holderOf(request: Request): Promise<{ token: string; signedIn: SignedIn } | null> {
    const token = cookies.read(request, 'urlmeta_session')
    const signedIn = token === null ? null : await sessions.find(token)
    return token === null || signedIn === null ? null : { token, signedIn }
  }

  async function admit(request: Request): Promise<Visitor> {
    const holder = await holderOf(request)
    return visitorOf(request, holder?.signedIn ?? null, holder?.token ?? null)
  }

  /** @throws AppError `sign_in_required`; `form_expired` for a form without a valid token */
  async function enter(request: Request): Promise<Entry> {
    const holder = await holderOf(request)
    if (holder === null) throw new AppError('sign_in_required', 'Sign in first.')
    const { token, signedIn } = holder
    const form = request.method === 'POST' ? await readForm(request) : null
    if (form !== null) csrf.check(request, token, form)
    return { visitor: visitorOf(request, signedIn, token), member: signedIn, form: form ?? (() => '') }
  }

  return {
    admit,

    /** Anonymous, if authentication fails. */
    stranger: (request: Request) => visitorOf(request, null, null),

    /** Adds the `visitor` to the routes after it. */
    visitors: new Elysia().derive({ as: 'scoped' }, async ({ request }) => ({ visitor: await admit(request) })),

    /** Requires a signed-in user; adds the `visitor`, the `member` and the `form` to the routes after it. */
    members: new Elysia().derive({ as: 'scoped' }, ({ request }) => enter(request)),

    /** The same, for operators only. */
    operators: new Elysia().derive({ as: 'scoped' }, async ({ request }) => {
      const entry = await enter(request)
      if (!entry.member.isOperator) throw new AppError('forbidden', 'This page is for operators.')
      return entry
    }),

    /** Redirects to a page after a form, and shows the notice there. */
    goTo(path: string, { notice, cookies: set = [] }: { notice: NoticeName; cookies?: string[] }): Response {
      return redirect(path, [...set, cookies.set('urlmeta_notice', notice, NOTICE_MS)])
    },
  }
}

export type Door = ReturnType<typeof createDoor>

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
