import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'

import type { RenderFailure } from '../../core/ports.ts'
import type { Pass } from '../proxy-pass.ts'
import type { OpenBrowser } from './open-browser.ts'
import { followPage, type PageProgress } from './page-progress.ts'
import watchScript from './page-watch.js' with { type: 'text' }
import type { Sight } from './settling.ts'
import { isTelling, treatmentOf } from './treatment.ts'

/** What a page came to. */
export interface VisitedPage {
  url: URL
  status: number
  /** As the document has it. */
  contentType: string
  html: string
}

/** A page came to nothing. */
export class VisitError extends Error {
  override name = 'VisitError'
  constructor(
    readonly failure: RenderFailure,
    options?: ErrorOptions,
  ) {
    super(`visit failed: ${failure}`, options)
  }
}

export interface PageParts {
  opened: OpenBrowser
  pass: Pass
  proxyPort: number
  /** Null sends Chromium's own. */
  userAgent: string | null
}

/** An empty page in a context of its own, ready to go somewhere, once. */
export interface OpenPage {
  /**
   * Goes to `url`, waits until the page has said what it is or `settle` aborts, and takes its document.
   * @throws VisitError
   */
  visit(url: URL, settle: AbortSignal): Promise<VisitedPage>
  /** Ends the page and all that it has stored. */
  close(): Promise<void>
}

/** The fetcher reads no more bytes than this either. */
const MAX_HTML_CHARACTERS = 2 * 1024 * 1024

/** How soon a document is tried again that could not be taken. */
const RETAKE_MS = 25

/** A page of many small modules makes some hundred requests; one that makes more has shown enough. */
const MAX_REQUESTS = 500

/** The world of the watcher, beside the page's own. */
const WORLD = 'urlmeta'

/** Answers that main documents came with, of which only the last few can still be the one that is shown. */
const MAX_NOTED_ANSWERS = 50

/**
 * Opens a page. It must not be closed before this has ended: playwright stumbles over what is made in a context that is
 * gone.
 * @throws what playwright throws
 */
export async function openPage({ opened, pass, proxyPort, userAgent }: PageParts): Promise<OpenPage> {
  const context = await opened.browser.newContext({
    proxy: { server: `http://127.0.0.1:${proxyPort}`, username: pass.username, password: pass.password },
    userAgent: userAgent ?? opened.userAgent,
    locale: 'en-US',
    acceptDownloads: false,
    permissions: [],
    serviceWorkers: 'block',
  })
  try {
    const progress = followPage()
    await restrict(context, progress)
    const page = await context.newPage()
    const failed = failureOf(context, page)
    const statuses = followRequests(page, progress)
    const watch = await watchDocument(page, progress)
    pass.signal.addEventListener('abort', () => progress.finish(), { once: true })
    return {
      async visit(url, settle) {
        const taken = take({ page, progress, statuses, watch }, url, settle).catch((cause) => {
          // A page that is closed or crashes under one's hands makes any step fail.
          throw cause instanceof VisitError ? cause : new VisitError('crashed', { cause })
        })
        return await Promise.race([taken, failed])
      },
      close: () => context.close(),
    }
  } catch (error) {
    await context.close().catch(() => {})
    throw error
  }
}

interface Followed {
  page: Page
  progress: PageProgress
  statuses: ReadonlyMap<string, number>
  watch: DocumentWatch
}

async function take(
  { page, progress, statuses, watch }: Followed,
  url: URL,
  settle: AbortSignal,
): Promise<VisitedPage> {
  await page.goto(url.href, { waitUntil: 'commit', timeout: 0 }).catch((cause) => {
    throw new VisitError('unreachable', { cause })
  })
  for (;;) {
    await progress.settled(settle)
    const { sight } = progress
    if (sight === null) throw new VisitError('out_of_time')
    const html = await watch.takeHtml()
    if (html !== null) {
      const status = statuses.get(withoutFragment(sight.url))
      if (status === undefined) throw new VisitError('not_a_page')
      return { url: new URL(sight.url), status, contentType: sight.contentType, html }
    }
    if (page.isClosed()) throw new VisitError('crashed')
    // The document was left in this very moment; the one that follows has a word of its own to say.
    await sleep(RETAKE_MS)
  }
}

/** Rejects when the page ends; no other page may open beside it. */
function failureOf(context: BrowserContext, page: Page): Promise<never> {
  context.on('page', (popup) => void popup.close().catch(() => {}))
  const failed = new Promise<never>((_, reject) => {
    page.on('crash', () => reject(new VisitError('crashed')))
    page.on('close', () => reject(new VisitError('crashed')))
  })
  // It may fail before anybody waits for it.
  failed.catch(() => {})
  return failed
}

/** Refuses what a page does not need in order to say what it is. */
async function restrict(context: BrowserContext, progress: PageProgress): Promise<void> {
  let requests = 0
  await context.route('**/*', async (route, request) => {
    const wanted = { type: request.resourceType(), url: request.url() }
    // Left without an answer: each refusal would become an error in the page, and those take longer than requests.
    // Of a page that goes on and on, the pipe soon tells nothing more.
    if (++requests > MAX_REQUESTS) return progress.finish()
    const treatment = treatmentOf(wanted)
    if (treatment === 'load') return await route.continue()
    if (treatment === 'refuse') return await route.abort()
    await route.fulfill({ status: 200, contentType: 'text/css', body: '' })
  })
}

/** Follows the requests that may bring metadata, and notes the status of every main document by its URL. */
function followRequests(page: Page, progress: PageProgress): ReadonlyMap<string, number> {
  const statuses = new Map<string, number>()
  const wantedOf = (request: { resourceType(): string; url(): string }) => ({
    type: request.resourceType(),
    url: request.url(),
  })
  page.on('request', (request) => isTelling(wantedOf(request)) && progress.load())
  page.on('requestfinished', (request) => isTelling(wantedOf(request)) && progress.loaded())
  page.on('requestfailed', (request) => isTelling(wantedOf(request)) && progress.loaded())
  page.on('response', (response) => {
    const request = response.request()
    if (!request.isNavigationRequest() || request.frame() !== page.mainFrame()) return
    if (statuses.size >= MAX_NOTED_ANSWERS) statuses.clear()
    statuses.set(withoutFragment(response.url()), response.status())
  })
  return statuses
}

interface DocumentWatch {
  /** The document as it is now; null when it has just been left. */
  takeHtml(): Promise<string | null>
}

/** Has the watcher run in every document of the page from its very beginning. */
async function watchDocument(page: Page, progress: PageProgress): Promise<DocumentWatch> {
  const session: CDPSession = await page.context().newCDPSession(page)
  let contextId: number | null = null
  session.on('Runtime.bindingCalled', ({ payload, executionContextId }) => {
    contextId = executionContextId
    progress.see(JSON.parse(payload) as Sight)
  })
  await session.send('Runtime.enable')
  await session.send('Page.enable')
  await session.send('Runtime.addBinding', { name: 'urlmetaReport', executionContextName: WORLD })
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: watchScript, worldName: WORLD })

  return {
    async takeHtml() {
      if (contextId === null) return null
      const expression = `document.documentElement?.outerHTML.slice(0, ${MAX_HTML_CHARACTERS}) ?? ''`
      const taken = await session
        .send('Runtime.evaluate', { expression, contextId, returnByValue: true })
        .catch(() => null)
      const value: unknown = taken?.result.value
      return typeof value === 'string' ? value : null
    },
  }
}

function withoutFragment(url: string): string {
  return url.split('#', 1)[0]!
}
