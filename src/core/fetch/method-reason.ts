import type { MethodReason } from './method.ts'
import type { RenderFailure } from './render-report.ts'
import type { FetchSummary } from './summary.ts'
import type { FetchTrace } from './trace.ts'

/** Explanations of why a page was rendered or not. */
const SENTENCES: Record<MethodReason, string> = {
  forced: 'Rendering was requested.',
  site_always: 'A rule for this site requires rendering.',
  blocked_status: 'The site refused the plain request, so a browser was tried.',
  challenge: 'The plain response was a bot challenge, so a browser was tried.',
  learned: 'The page is an empty shell like the last pages of this host, so it was rendered immediately.',
  consent: 'The site sent a consent page, so a browser was tried.',
  login: 'The site sent a login page instead, so a browser was tried.',
  template_title: 'The title is a template that a script fills in.',
  empty_mount_point: 'The page is an empty shell that scripts fill.',
  empty_body: 'The page has scripts and almost no text.',
  asks_for_scripts: 'The page asks for JavaScript.',
  no_metadata: 'The page has scripts, but neither a title nor a description.',
  complete: 'The page is complete without scripts.',
  oembed: 'The oEmbed endpoint of the site has the metadata that the page lacks.',
  not_html: 'The response is not HTML.',
  error_status: 'A browser would get the same error status.',
  no_scripts: 'The page has no scripts.',
  site_never: 'A browser might have helped, but a rule for this site disables it.',
  no_browser: 'A browser would have helped, but this server has none.',
  no_time: 'A browser would have helped, but too little of the timeout was left.',
}

/** Why rendering failed; the first half of a sentence. */
const FAILURES: Record<RenderFailure, string> = {
  busy: 'Too many pages were waiting for the browser',
  out_of_time: 'The browser ran out of time',
  not_started: 'The browser did not start',
  browser_gone: 'The browser stopped unexpectedly',
  crashed: 'The page crashed in the browser',
  unreachable: 'The browser could not load the page',
  not_a_page: 'The browser did not receive a page',
}

/** One or two sentences; '' when the method was not chosen. */
export function methodReasonOf({ method, rendering }: FetchTrace, used: 'http' | 'headless'): string {
  if (method === undefined) return ''
  const sentence = SENTENCES[method.reason]
  if (method.method === used) return sentence
  const outcome = rendering?.failure === undefined ? 'The browser found nothing more' : FAILURES[rendering.failure]
  return `${sentence} ${outcome}, so the plain response is used.`
}

/** The same for a logged request, whose trace is no longer known. */
export function loggedMethodReason({ methodReason, renderFailure }: Partial<FetchSummary>): string {
  const sentence = methodReason === undefined ? '' : SENTENCES[methodReason]
  return renderFailure === undefined ? sentence : `${sentence} ${FAILURES[renderFailure]}.`
}
