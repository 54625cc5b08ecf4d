/** What one launch of Chromium depends on. */
export interface LaunchOptions {
  /** A folder of its own, new and empty. */
  profile: string
  /** The only thing it may connect to, on 127.0.0.1. */
  proxyPort: number
  /** Off only where it cannot work: for root, whom Chromium's own sandbox refuses. */
  hasSandbox: boolean
}

/** Nothing real needs more to say what it is; past it V8 ends the page, not the machine. */
const MAX_HEAP_MEGABYTES = 256

/** Parts of Chromium that call home, ask the user, or keep what one page left for another. */
const DISABLED_FEATURES = [
  'AimEnabled',
  'CertificateTransparencyComponentUpdater',
  'DestroyProfileOnBrowserClose',
  // Interception must see the request that is made, not an upgraded one.
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'InterestFeedContentSuggestions',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  // A hidden page paints nothing, so frames must not be held back for it.
  'PaintHolding',
  'PreconnectToSearch',
  'Translate',
]

/** The command line. Nothing here opens a port: DevTools speak over a pipe that pages cannot reach. */
export function chromiumArguments({ profile, proxyPort, hasSandbox }: LaunchOptions): string[] {
  return [
    '--headless',
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
    ...(hasSandbox ? [] : ['--no-sandbox']),

    // One way out. Chromium would go past a proxy to loopback and link-local addresses, but for `<-loopback>`.
    `--proxy-server=http://127.0.0.1:${proxyPort}`,
    '--proxy-bypass-list=<-loopback>',
    // It resolves no name itself, so no name can mean another address to it than to the guard.
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    '--dns-prefetch-disable',
    // What does not speak TCP does not speak to a proxy.
    '--disable-quic',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',

    // Not a byte on its own account.
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-default-apps',
    '--disable-domain-reliability',
    '--disable-field-trial-config',
    '--disable-sync',
    '--metrics-recording-only',
    '--no-pings',
    '--no-service-autorun',

    // No questions, no extras.
    '--deny-permission-prompts',
    '--disable-breakpad',
    '--disable-client-side-phishing-detection',
    '--disable-component-extensions-with-background-pages',
    '--disable-extensions',
    '--disable-notifications',
    '--disable-search-engine-choice-screen',
    '--mute-audio',
    '--no-default-browser-check',
    '--no-first-run',
    '--password-store=basic',
    '--use-mock-keychain',

    // Pages that are not looked at run at full speed, draw nothing, and are not kept for a way back.
    '--blink-settings=imagesEnabled=false',
    '--disable-back-forward-cache',
    '--disable-background-timer-throttling',
    '--disable-backgrounding-occluded-windows',
    '--disable-dev-shm-usage',
    '--disable-gpu',
    '--disable-renderer-backgrounding',
    `--js-flags=--max-old-space-size=${MAX_HEAP_MEGABYTES}`,
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
    '--no-startup-window',
  ]
}
