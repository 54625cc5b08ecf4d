import type { CDPSession, Page } from 'playwright-core'

import { type LanguageChoice, languageFor, secretsOf } from '../../core/sites/sites.ts'

/**
 * Sends the headers of plain requests with the requests of a page: the language with documents; the headers of the rules
 * for sites with the page itself, also after redirects and navigations, and with what it requests from its own origin. A
 * request to another origin could be one that its site would not send, and would need the consent of the other site
 * (CORS). Playwright's own headers are not used, because it also sends them to other hosts after redirects.
 * @throws Playwright's errors
 */
export async function sendRequestHeaders(page: Page, session: CDPSession, choice: LanguageChoice): Promise<void> {
  const { targetInfo } = await session.send('Target.getTargetInfo')
  let wasEncrypted = false

  session.on('Fetch.requestPaused', ({ requestId, request, frameId, resourceType }) => {
    const url = new URL(request.url)
    wasEncrypted ||= url.protocol === 'https:'
    const isDocument = resourceType === 'Document'
    // The main frame has the id of its target. Only a GET is what plain requests send, also after a redirect.
    const isOfPage = frameId === targetInfo.targetId
    const isOwn = isOfPage && ((isDocument && request.method === 'GET') || url.origin === new URL(page.url()).origin)
    const added = Object.entries({
      ...(isDocument && { 'Accept-Language': languageFor(url.hostname, choice) }),
      ...(isOwn && (url.protocol === 'https:' || !wasEncrypted) && secretsOf(url, choice.sites).headers),
    })
    const sent = Object.entries(request.headers)
    // The last one is used. Scripts of the page may set headers themselves.
    const all = isDocument ? [...sent, ...added] : [...added, ...sent]
    const headers = new Map(all.map(([name, value]) => [name.toLowerCase(), { name, value }]))
    // It fails when the page is closed.
    session.send('Fetch.continueRequest', { requestId, headers: [...headers.values()] }).catch(() => {})
  })
  const hasHeaders = choice.sites.some(({ headers }) => headers !== undefined)
  await session.send('Fetch.enable', { patterns: [hasHeaders ? {} : { resourceType: 'Document' }] })
}
