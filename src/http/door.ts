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

/** A page to send, beside what is on it. */
export interface Shown {
  /** The page's own path. */
  path: string
  status?: number
  headers?: [name: string, value: string][]
  /** `Set-Cookie` headers. */
  cookies?: string[]
  /** The token of the page's forms, for visitors without a session. */
  csrf?: string
}

/** Somebody in front of the dashboard, signed in or not, for the time of one request. */
export interface Visitor {
  signedIn: SignedIn | null
  /** Sends a page, with the notice that waits for this visitor. */
  show(shown: Shown, view: (frame: Frame) => string | Promise<string>): Promise<Response>
}

/**
 * Somebody who is signed in, and the form that they sent; every field of none is ''. Elysia takes what has an index
 * signature, as types have and interfaces have not.
 */
export type Entry = {
  visitor: Visitor
  member: SignedIn
  form: Form
}

/** How long a notice waits to be shown, in case the page it was meant for never comes. */
const NOTICE_MS = 60_000

/** Pages of the dashboard are for this visitor alone. */
const PRIVATE: [string, string] = ['cache-control', 'private, no-store']

/** Lets visitors in: tells who they are, and refuses forms that they did not send themselves. */
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

  /** The holder of the session's token, if both are good. */
  async function holderOf(request: Request): Promise<{ token: string; signedIn: SignedIn } | null> {
    const token = cookies.read(request, 'urlmeta_session')
    const signedIn = token === null ? null : await sessions.find(token)
    return token === null || signedIn === null ? null : { token, signedIn }
  }

  async function admit(request: Request): Promise<Visitor> {
    const holder = await holderOf(request)
    return visitorOf(request, holder?.signedIn ?? null, holder?.token ?? null)
  }

  /** @throws AppError `sign_in_required`; `forbidden` for a form from elsewhere */
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

    /** Anybody, when who it is cannot be found out. */
    stranger: (request: Request) => visitorOf(request, null, null),

    /** The routes after it know the `visitor`. */
    visitors: new Elysia().derive({ as: 'scoped' }, async ({ request }) => ({ visitor: await admit(request) })),

    /** The routes after it know the `visitor`, the `member` who is signed in, and the `form` that they sent. */
    members: new Elysia().derive({ as: 'scoped' }, ({ request }) => enter(request)),

    /** The same, for operators alone. */
    operators: new Elysia().derive({ as: 'scoped' }, async ({ request }) => {
      const entry = await enter(request)
      if (!entry.member.isOperator) throw new AppError('forbidden', 'This page is for operators.')
      return entry
    }),

    /** Sends the browser on to a page of ours, after a form. */
    goTo(path: string, { notice, cookies: set = [] }: { notice: NoticeName; cookies?: string[] }): Response {
      return redirect(path, [...set, cookies.set('urlmeta_notice', notice, NOTICE_MS)])
    },
  }
}

export type Door = ReturnType<typeof createDoor>

/** A redirect that makes a GET of whatever it answers; nothing keeps it, and it does not tell where it led from. */
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
