import type { Browser } from 'playwright-core'

import { CAN_SANDBOX, startChromium, type ChromiumProcess } from './process.ts'

/** A Chromium that takes pages. Disposing it ends its processes and removes its files. */
export interface OpenBrowser extends AsyncDisposable {
  readonly browser: Browser
  readonly version: string
  /** Whether pages run in Chromium's sandbox. */
  readonly hasSandbox: boolean
  /** What it would call itself with a window. */
  readonly userAgent: string
  readonly process: ChromiumProcess
  /** Resolves when it can be spoken to no more. */
  readonly gone: Promise<void>
}

/** On a machine that has other things to do a cold start takes seconds; one that takes this long will not come. */
const START_MS = 15_000

/** @throws Error with Chromium's last words when it does not start */
export async function openBrowser(executable: string, proxyPort: number): Promise<OpenBrowser> {
  const process = startChromium(executable, proxyPort)
  try {
    // Loaded only where a browser is needed, as that takes up to half a second, and while Chromium starts.
    const { chromium } = await import('playwright-core')
    const browser = await chromium.connectOverCDP(process.transport, {
      artifactsDir: process.profile,
      isLocal: true,
      noDefaults: true,
      timeout: START_MS,
    })
    return {
      browser,
      version: browser.version(),
      hasSandbox: CAN_SANDBOX,
      userAgent: userAgentOf(browser.version()),
      process,
      gone: new Promise((resolve) => browser.on('disconnected', () => resolve())),
      [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
    }
  } catch (cause) {
    await process[Symbol.asyncDispose]()
    throw new Error(`Chromium does not start: ${process.lastWords() || String(cause)}`, { cause })
  }
}

/** Sites answer `HeadlessChrome` with a block, and every other version number alike. */
function userAgentOf(version: string): string {
  const major = version.split('.', 1)[0]
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`
}
