import type { OpenBrowser } from './open-browser.ts'

/**
 * A browser that takes longer to open a page, or to respond at all, is replaced, because a page may be flooding it with
 * messages.
 */
export const RESPONSE_MS = 4_000

/** How many times a browser with open pages is asked for its version within `responseMs`. */
const CHECKS_PER_TIMEOUT = 4

/**
 * Calls `onSilence` when a busy browser has not responded for `responseMs`. Such a browser neither opens, loads nor
 * closes pages. Disposing the result stops the requests.
 */
export function watchPulse({ browser }: OpenBrowser, responseMs: number, isBusy: () => boolean, onSilence: () => void) {
  // The session and its commands fail when the browser is closed.
  const ignore = () => {}
  const session = browser.newBrowserCDPSession()
  session.catch(ignore)
  let unanswered = 0
  async function ask() {
    if (!isBusy()) unanswered = 0
    else if (++unanswered >= CHECKS_PER_TIMEOUT) onSilence()
    else {
      await (await session).send('Browser.getVersion')
      unanswered = 0
    }
  }
  return setInterval(() => void ask().catch(ignore), responseMs / CHECKS_PER_TIMEOUT)
}
