import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, CDPSession, Page, Request } from 'playwright-core'

import { withoutFragment } from '../../core/net/url.ts'
import type { RenderFailure } from '../../core/fetch/render-report.ts'
import type { LanguageChoice } from '../../core/sites/sites.ts'
import { MAX_PAGE_CHARACTERS, MAX_PAGE_REQUESTS } from './limits.ts'
import type { PageAccess } from './proxy-session.ts'
import type { OpenBrowser } from './open-browser.ts'
import { trackPage, type PageProgress } from './page-progress.ts'
import watchScript from './page-watch.js' with { type: 'text' }
import { sendRequestHeaders } from './request-headers.ts'
import type { DocumentState } from './readiness.ts'
import { mayAffectMetadata, resourcePolicyOf } from './resource-policy.ts'

export interface LoadedPage {
  url: URL
  status: number
  contentType: string
  html: string
  /** Whether time ran out before the metadata was ready. */
  isCut: boolean
}

export class PageLoadError extends Error {
  override name = 'PageLoadError'
  constructor(
    readonly failure: RenderFailure,
    options?: ErrorOptions,
  ) {
    super(`loading the page failed: ${failure}`, options)
  }
}

export interface PageDeps {
  opened: OpenBrowser
  access: PageAccess
  /** `host:port` of the proxy, as the browser reaches it. */
  proxy: string
  /** Null sends Chromium's own User-Agent. */
  userAgent: string | null
  /** Each cookie is only sent to the host of its URL. */
  cookies: readonly { name: string; value: string; url: string }[]
  /** The inputs for the headers of the page's requests. */
  choice: LanguageChoice
  /** The languages that the page sees, preferred ones first. */
  languages: readonly string[]
}

/** An empty page in its own browser context, for one navigation. */
export type OpenPage = Awaited<ReturnType<typeof openPage>>

const RETRY_READ_MS = 25

const WORLD = 'urlmeta'

/**
 * Removes WebRTC from pages of a remote Chromium, because its UDP traffic would bypass the proxy. A local Chromium has
 * an option for that.
 */
const WITHOUT_WEBRTC = `for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) delete globalThis[name]`

/** Languages that Chromium accepts as a locale. Some others make it fail, and `root` makes it exit. */
const LOCALE = /^[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?$/i

/** Bounds the recorded statuses of main documents. Only the latest can belong to the current document. */
const MAX_TRACKED_RESPONSES = 50

/**
 * The browser context must not be closed before the promise settles, or Playwright fails on the objects it creates.
 * @throws Playwright's errors
 */
export async function openPage({ opened, access, proxy, userAgent, cookies, choice, languages }: PageDeps) {
  const context = await opened.browser.newContext({
    proxy: {
      server: `http://${proxy}`,
      // Without this, Chromium connects to loopback and link-local addresses directly.
      bypass: '<-loopback>',
      username: access.username,
      password: access.password,
    },
    userAgent: userAgent ?? opened.userAgent,
    locale: languages.find((language) => LOCALE.test(language)) ?? 'en-US',
    acceptDownloads: false,
    permissions: [],
    serviceWorkers: 'block',
  })
  try {
    const progress = trackPage()
    // Chromium refuses some cookies, such as long ones. The page is loaded without them.
    await Promise.allSettled(cookies.map((cookie) => context.addCookies([cookie])))
    await restrict(context, progress)
    if (opened.process === null) await context.addInitScript(WITHOUT_WEBRTC)
    const page = await context.newPage()
    const failed = failureOf(context, page)
    const statuses = followRequests(page, progress)
    const session = await context.newCDPSession(page)
    // Sets `navigator.languages`; the locale is only one of them. An empty User-Agent keeps the User-Agent of the
    // context.
    await session.send('Emulation.setUserAgentOverride', { userAgent: '', acceptLanguage: languages.join() })
    await sendRequestHeaders(page, session, choice)
    const readHtml = await watchDocument(session, progress)
    access.signal.addEventListener('abort', () => progress.finish(), { once: true })
    return {
      /**
       * Navigates to `url`, waits until the page's metadata is ready or `softDeadline` aborts, and returns its document.
       * @throws PageLoadError
       */
      async load(url: URL, softDeadline: AbortSignal): Promise<LoadedPage> {
        const loaded = loadPage({ page, progress, statuses, readHtml }, url, softDeadline).catch((cause) => {
          // Any step fails when the page is closed or crashes.
          throw cause instanceof PageLoadError ? cause : new PageLoadError('crashed', { cause })
        })
        return await Promise.race([loaded, failed])
      },
      /** Closes the page and deletes everything it stored. */
      close: () => context.close(),
    }
  } catch (error) {
    await context.close().catch(() => {})
    throw error
  }
}

interface TrackedPage {
  page: Page
  progress: PageProgress
  statuses: ReadonlyMap<string, number>
  readHtml: () => Promise<string | null>
}

async function loadPage(
  { page, progress, statuses, readHtml }: TrackedPage,
  url: URL,
  softDeadline: AbortSignal,
): Promise<LoadedPage> {
  await page.goto(url.href, { waitUntil: 'commit', timeout: 0 }).catch((cause) => {
    throw new PageLoadError('unreachable', { cause })
  })
  for (;;) {
    await progress.untilReady(softDeadline)
    const isCut = softDeadline.aborted
    const { documentState } = progress
    if (documentState === null) throw new PageLoadError('out_of_time')
    const html = await readHtml()
    if (html !== null) {
      const status = statuses.get(withoutFragment(documentState.url))
      if (status === undefined) throw new PageLoadError('not_a_page')
      return { url: new URL(documentState.url), status, contentType: documentState.contentType, html, isCut }
    }
    if (page.isClosed()) throw new PageLoadError('crashed')
    // The page has just navigated; wait for the next document.
    await sleep(RETRY_READ_MS)
  }
}

/** Rejects when the page crashes or closes. Closes popups. */
function failureOf(context: BrowserContext, page: Page): Promise<never> {
  context.on('page', (popup) => void popup.close().catch(() => {}))
  const failed = new Promise<never>((_, reject) => {
    page.on('crash', () => reject(new PageLoadError('crashed')))
    page.on('close', () => reject(new PageLoadError('crashed')))
  })
  // `failed` may reject before anything awaits it.
  failed.catch(() => {})
  return failed
}

/** Blocks resources that cannot change the metadata. */
async function restrict(context: BrowserContext, progress: PageProgress): Promise<void> {
  let requests = 0
  await context.route('**/*', async (route, request) => {
    // Further requests get no response, because an error for each would cost more than the request.
    if (++requests > MAX_PAGE_REQUESTS) return progress.finish()
    const policy = resourcePolicyOf(resourceOf(request))
    if (policy === 'load') return await route.continue()
    if (policy === 'refuse') return await route.abort()
    policy satisfies 'empty response'
    await route.fulfill({ status: 200, contentType: 'text/css', body: '' })
  })
}

const resourceOf = (request: Request) => ({ type: request.resourceType(), url: request.url() })

/** Tracks the requests that may affect the metadata, and records the status of every main document by its URL. */
function followRequests(page: Page, progress: PageProgress): ReadonlyMap<string, number> {
  const statuses = new Map<string, number>()
  // Requests of frames are not tracked: a chat may poll for as long as the page is open.
  const isTracked = (request: Request) => request.frame() === page.mainFrame() && mayAffectMetadata(resourceOf(request))
  page.on('request', (request) => isTracked(request) && progress.requestStarted())
  page.on('requestfinished', (request) => isTracked(request) && progress.requestEnded())
  page.on('requestfailed', (request) => isTracked(request) && progress.requestEnded())
  page.on('response', (response) => {
    const request = response.request()
    if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return
    if (statuses.size >= MAX_TRACKED_RESPONSES) statuses.clear()
    statuses.set(withoutFragment(response.url()), response.status())
  })
  return statuses
}

/**
 * Runs page-watch.js in every document. The returned function reads the current document's HTML; null during a
 * navigation.
 */
async function watchDocument(session: CDPSession, progress: PageProgress) {
  let contextId: number | null = null
  session.on('Runtime.bindingCalled', ({ payload, executionContextId }) => {
    contextId = executionContextId
    progress.update(JSON.parse(payload) as DocumentState)
  })
  await session.send('Runtime.enable')
  await session.send('Page.enable')
  await session.send('Runtime.addBinding', { name: 'urlmetaReport', executionContextName: WORLD })
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: watchScript, worldName: WORLD })

  return async (): Promise<string | null> => {
    if (contextId === null) return null
    const expression = `document.documentElement?.outerHTML.slice(0, ${MAX_PAGE_CHARACTERS}) ?? ''`
    const evaluated = await session
      .send('Runtime.evaluate', { expression, contextId, returnByValue: true })
      .catch(() => null)
    const value: unknown = evaluated?.result.value
    return typeof value === 'string' ? value : null
  }
}
