import type { OpenBrowser } from './open-browser.ts'

/** How often a browser with pages is asked for its version, and how many requests in a row it may not answer. */
const PULSE_MS = 1_000
const MAX_UNANSWERED = 3

/** A page that was open for longer may be the reason why the browser does not respond. */
export const SUSPECT_MS = PULSE_MS * MAX_UNANSWERED

/**
 * Calls `onSilence` when a busy browser has not responded for about four seconds: a page floods it with messages, so it
 * neither opens, loads nor closes pages. Disposing it stops asking.
 */
export function watchPulse({ browser }: OpenBrowser, isBusy: () => boolean, onSilence: () => void): Disposable {
  // They fail when the browser is closed.
  const ignore = () => {}
  const session = browser.newBrowserCDPSession()
  session.catch(ignore)
  let unanswered = 0
  async function ask() {
    if (!isBusy()) unanswered = 0
    else if (++unanswered > MAX_UNANSWERED) onSilence()
    else {
      await (await session).send('Browser.getVersion')
      unanswered = 0
    }
  }
  return setInterval(() => void ask().catch(ignore), PULSE_MS)
}
