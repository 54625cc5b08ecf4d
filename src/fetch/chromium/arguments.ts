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

/** Features with background traffic, prompts, state shared between pages, or an interface that nobody sees. */
const DISABLED_FEATURES = [
  'AimEnabled',
  'CertificateTransparencyComponentUpdater',
  'DestroyProfileOnBrowserClose',
  // Request interception must see the original request, not an upgraded one.
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'InterestFeedContentSuggestions',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  // A headless page is never painted, so frames must not wait for painting.
  'PaintHolding',
  'PreconnectToSearch',
  // Starts a process in advance. The next page has its own context and does not use it.
  'SpareRendererForSitePerProcess',
  'Translate',
  // In a full Chromium, each window loads two pages for its address bar, which take half of the CPU time of a page.
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
]

/** Opens no port: DevTools uses a pipe, which pages cannot reach. */
export function chromiumArguments({ profile, proxyPort, hasSandbox }: LaunchOptions): string[] {
  return [
    '--headless',
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
    ...(hasSandbox ? [] : ['--no-sandbox']),

    // All traffic goes through the proxy, including traffic to loopback and link-local addresses (`<-loopback>`).
    `--proxy-server=http://127.0.0.1:${proxyPort}`,
    '--proxy-bypass-list=<-loopback>',
    // Chromium resolves no names, so a name cannot resolve to one address for Chromium and another for the guard.
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    '--dns-prefetch-disable',
    // Protocols over UDP would bypass the proxy.
    '--disable-quic',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',

    // No background traffic of Chromium itself.
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-default-apps',
    '--disable-domain-reliability',
    '--disable-field-trial-config',
    '--disable-sync',
    '--metrics-recording-only',
    '--no-pings',
    '--no-service-autorun',

    // No prompts, no optional components.
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

    // Frames of all sites run in the process of their page, so that its memory limit includes them.
    '--disable-site-isolation-trials',

    // Shared workers run in other processes, and thousands of them block the browser for all pages.
    '--disable-shared-workers',

    // Hidden pages run at full speed, paint nothing, and are not kept for back navigation.
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
