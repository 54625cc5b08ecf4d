import fixed from './arguments.json'

export interface LaunchOptions {
  /** A new, empty directory. */
  profile: string
  /** The proxy's port on 127.0.0.1, the only address Chromium may connect to. */
  proxyPort: number
  /** False only when running as root, which Chromium's sandbox does not support. */
  hasSandbox: boolean
}

/** The JavaScript heap limit of a page, more than pages need for their metadata. V8 crashes a page that exceeds it. */
const MAX_HEAP_MEGABYTES = 256

/** The same for every browser, by their reasons. */
const FIXED = Object.values(fixed.arguments).flat()
const DISABLED_FEATURES = Object.values(fixed.disabledFeatures).flat()

/** Opens no port: DevTools uses a pipe, which pages cannot reach. */
export function chromiumArguments({ profile, proxyPort, hasSandbox }: LaunchOptions): string[] {
  return [
    ...FIXED,
    `--user-data-dir=${profile}`,
    ...(hasSandbox ? [] : ['--no-sandbox']),
    // All traffic goes through the proxy.
    `--proxy-server=http://127.0.0.1:${proxyPort}`,
    `--js-flags=--max-old-space-size=${MAX_HEAP_MEGABYTES}`,
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
  ]
}
