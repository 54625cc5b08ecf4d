import type { Browser, ConnectOverCDPOptions } from 'playwright-core'

import type { DevToolsTransport } from './devtools-transport.ts'
import { CAN_SANDBOX, startChromium, type ChromiumProcess } from './process.ts'

/** A running Chromium. Disposing it stops its processes and removes its files, or closes the pages of a remote one. */
export interface OpenBrowser extends AsyncDisposable {
  readonly browser: Browser
  readonly version: string
  /** Whether pages run in Chromium's sandbox; null for a remote browser, where this is unknown. */
  readonly hasSandbox: boolean | null
  /** The User-Agent of a Chrome of the same version that is not headless. */
  readonly userAgent: string
  readonly transport: DevToolsTransport
  /** Null for a remote browser. */
  readonly process: ChromiumProcess | null
  /** Resolves when the connection to the browser is closed. */
  readonly disconnected: Promise<void>
}

/** A start takes half a second of CPU time, and a busy machine gives it a tenth of a CPU. One that takes longer has failed. */
const START_MS = 30_000

/** @throws Error with the end of Chromium's stderr when it does not start */
export async function openBrowser(executable: string, proxyPort: number): Promise<OpenBrowser> {
  const process = startChromium(executable, proxyPort)
  try {
    const opened = await connectBrowser(process.transport, {
      artifactsDir: process.profile,
      isLocal: true,
      timeout: START_MS,
    })
    return {
      ...opened,
      hasSandbox: CAN_SANDBOX,
      process,
      [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
    }
  } catch (cause) {
    await process[Symbol.asyncDispose]()
    throw new Error(`Chromium did not start: ${process.stderrTail() || String(cause)}`, { cause })
  }
}

/** The parts of an open browser that do not depend on where it runs. @throws Playwright's errors */
export async function connectBrowser(
  transport: DevToolsTransport,
  options: ConnectOverCDPOptions,
): Promise<Omit<OpenBrowser, 'hasSandbox' | 'process' | typeof Symbol.asyncDispose>> {
  // The import takes up to half a second, so it happens on demand and while Chromium starts.
  const { chromium } = await import('playwright-core')
  const browser = await chromium.connectOverCDP(transport, { ...options, noDefaults: true })
  return {
    browser,
    version: browser.version(),
    userAgent: userAgentOf(browser.version()),
    transport,
    disconnected: new Promise((resolve) => browser.on('disconnected', () => resolve())),
  }
}

/** Chrome's User-Agent. Sites block `HeadlessChrome`, and Chrome itself sends only its major version. */
function userAgentOf(version: string): string {
  const major = version.split('.', 1)[0]
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`
}
