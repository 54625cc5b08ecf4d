import type { CDPSession, Page } from 'playwright-core'

import { type LanguageChoice, languageFor, secretsOf } from '../../core/sites/sites.ts'

/**
 * Adds the headers of plain requests to the requests of a page. Documents get the language. The page itself, also after
 * redirects and navigations, and its requests to its own origin get the headers from the rules for sites. Requests to
 * other origins do not get them: the site might never send such a request, and the other site would have to allow it
 * (CORS). Playwright's own headers are not used, because Playwright also sends them to other hosts after redirects.
 * @throws Playwright's errors
 */
export async function sendRequestHeaders(page: Page, session: CDPSession, choice: LanguageChoice): Promise<void> {
  const { targetInfo } = await session.send('Target.getTargetInfo')
  let wasEncrypted = false

  session.on('Fetch.requestPaused', ({ requestId, request, frameId, resourceType }) => {
    const url = new URL(request.url)
    wasEncrypted ||= url.protocol === 'https:'
    const isDocument = resourceType === 'Document'
    // The main frame has the id of its target. Plain requests always use GET, also after a redirect.
    const isOfPage = frameId === targetInfo.targetId
    const isOwn = isOfPage && ((isDocument && request.method === 'GET') || url.origin === new URL(page.url()).origin)
    const added = Object.entries({
      ...(isDocument && { 'Accept-Language': languageFor(url.hostname, choice) }),
      ...(isOwn && (url.protocol === 'https:' || !wasEncrypted) && secretsOf(url, choice.sites).headers),
    })
    const sent = Object.entries(request.headers)
    // The last header of each name is sent: ours for documents; otherwise the page's own, because its scripts may set
    // headers.
    const all = isDocument ? [...sent, ...added] : [...added, ...sent]
    const headers = new Map(all.map(([name, value]) => [name.toLowerCase(), { name, value }]))
    // The command fails when the page is closed.
    session.send('Fetch.continueRequest', { requestId, headers: [...headers.values()] }).catch(() => {})
  })
  const hasHeaders = choice.sites.some(({ headers }) => headers !== undefined)
  await session.send('Fetch.enable', { patterns: [hasHeaders ? {} : { resourceType: 'Document' }] })
}
