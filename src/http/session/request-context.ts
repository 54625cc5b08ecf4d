import type { SignedIn } from '../../service/accounts/sessions.ts'
import type { Frame } from '../../../views/shell.tsx'
import { page } from '../server/page.ts'
import { pathOf } from '../server/request-path.ts'
import type { Cookies } from './cookies.ts'
import type { Csrf } from './csrf.ts'
import type { Drafts } from './drafts.ts'
import type { Form } from './form.ts'
import { noticeOf } from './notices.ts'

export interface RequestContextDeps {
  cookies: Cookies
  csrf: Csrf
  /** The public origin. */
  baseUrl: () => string
  version: string
  isPlaygroundPublic: boolean
  now: () => number
}

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
  /** The form of this page that the user submitted after the session had ended; null if there is none. */
  draft: Form | null
  /** Renders a page with its frame, including the pending notice. */
  render<Props extends { frame: Frame }>(
    options: PageOptions,
    view: (props: Props) => string | Promise<string>,
    props: Omit<Props, 'frame'>,
  ): Promise<Response>
}

export interface OpenSession {
  token: string
  signedIn: SignedIn
}

/** Pages of the dashboard must not be stored in shared caches. */
const PRIVATE: [string, string] = ['cache-control', 'private, no-store']

/** Returns a function that creates the context of a request. */
export function createRequestContexts(deps: RequestContextDeps, drafts: Drafts) {
  const { cookies, csrf, baseUrl, version, isPlaygroundPublic, now } = deps

  return (request: Request, session: OpenSession | null): RequestContext => {
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
}

/** A 303 redirect that is not cached and sends no referrer. */
export function redirect(location: string, cookies: string[] = []): Response {
  const headers: [string, string][] = [['location', location], ['referrer-policy', 'no-referrer'], PRIVATE]
  return new Response(null, { status: 303, headers: [...headers, ...setCookies(cookies)] })
}

const setCookies = (cookies: string[]): [string, string][] => cookies.map((cookie) => ['set-cookie', cookie])
