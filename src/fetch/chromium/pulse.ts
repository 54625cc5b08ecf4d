import type { OpenBrowser } from './open-browser.ts'

/** A browser that takes longer to open a page, or to respond at all, is replaced: a page may flood it with messages. */
export const RESPONSE_MS = 4_000

/** How often a browser with pages is asked for its version within that time. */
const ASKED = 4

/**
 * Calls `onSilence` when a busy browser has not responded for `responseMs`, so it neither opens, loads nor closes pages.
 * Disposing it stops asking.
 */
export function watchPulse({ browser }: OpenBrowser, responseMs: number, isBusy: () => boolean, onSilence: () => void) {
  // They fail when the browser is closed.
  const ignore = () => {}
  const session = browser.newBrowserCDPSession()
  session.catch(ignore)
  let unanswered = 0
  async function ask() {
    if (!isBusy()) unanswered = 0
    else if (++unanswered >= ASKED) onSilence()
    else {
      await (await session).send('Browser.getVersion')
      unanswered = 0
    }
  }
  return setInterval(() => void ask().catch(ignore), responseMs / ASKED)
}
