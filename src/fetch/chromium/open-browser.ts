import type { Browser } from 'playwright-core'

import { CAN_SANDBOX, startChromium, type ChromiumProcess } from './process.ts'

/** A running Chromium. Disposing it ends its processes and removes its files. */
export interface OpenBrowser extends AsyncDisposable {
  readonly browser: Browser
  readonly version: string
  /** Whether pages run in Chromium's sandbox. */
  readonly hasSandbox: boolean
  /** The User-Agent of the same version of Chrome that is not headless. */
  readonly userAgent: string
  readonly process: ChromiumProcess
  /** Resolves when the connection to the browser has ended. */
  readonly disconnected: Promise<void>
}

/** A cold start on a busy machine takes seconds; a start that takes longer than this has failed. */
const START_MS = 15_000

/** @throws Error with the end of Chromium's stderr when it does not start */
export async function openBrowser(executable: string, proxyPort: number): Promise<OpenBrowser> {
  const process = startChromium(executable, proxyPort)
  try {
    // Imported on demand, because it takes up to half a second, and while Chromium starts.
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
      disconnected: new Promise((resolve) => browser.on('disconnected', () => resolve())),
      [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
    }
  } catch (cause) {
    await process[Symbol.asyncDispose]()
    throw new Error(`Chromium did not start: ${process.stderrTail() || String(cause)}`, { cause })
  }
}

/** Chrome's User-Agent. Sites block `HeadlessChrome`, and Chrome itself sends only its major version. */
function userAgentOf(version: string): string {
  const major = version.split('.', 1)[0]
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`
}
