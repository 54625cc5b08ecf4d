import type { MethodReason } from './method.ts'
import type { RenderFailure } from './ports.ts'
import type { FetchTrace } from './trace.ts'

/** Why a page was read by one method or the other, for people. */
const SENTENCES: Record<MethodReason, string> = {
  forced: 'A browser was asked for.',
  blocked_status: 'The site turned the plain request away, so a browser tried.',
  challenge: 'The plain answer was a challenge of a bot defence, so a browser tried.',
  template_title: 'The title is a template that a script fills in.',
  empty_mount_point: 'The page is an empty frame that scripts fill.',
  empty_body: 'The page has nothing but scripts to show.',
  asks_for_scripts: 'The page says that it needs scripts.',
  no_metadata: 'The plain page has scripts, but neither a title nor a description.',
  complete: 'The plain page says enough without scripts.',
  not_html: 'It is not an HTML page.',
  error_status: 'The status means the same to a browser.',
  consent: 'The site asks for consent, which it would ask a browser as well.',
  no_scripts: 'There is nothing in the page that a browser would run.',
  no_browser: 'A browser would have helped, but this server has none.',
  no_time: 'A browser would have helped, but too little of the timeout was left.',
}

/** What became of the browser's try, before the words for what counts then. */
const FAILURES: Record<RenderFailure, string> = {
  busy: 'Too many pages were waiting for it',
  out_of_time: 'It did not get there in time',
  not_started: 'It did not start',
  browser_gone: 'It ended on the way',
  crashed: 'The page crashed in it',
  unreachable: 'It could not load the page',
  not_a_page: 'It found no page there',
}

/** A sentence or two on why the page was read as it was. */
export function methodReasonOf({ method, rendering }: FetchTrace, used: 'http' | 'headless'): string {
  if (method === undefined) return ''
  const sentence = SENTENCES[method.reason]
  if (method.method === used) return sentence
  const outcome = rendering?.failure === undefined ? 'It found nothing better' : FAILURES[rendering.failure]
  return `${sentence} ${outcome}, so the plain answer counts.`
}
