import type { Config } from '../../config.ts'
import { parseAllowRule } from '../../core/net/egress.ts'
import { maskedBrowserUrl, type RemoteChromium } from '../../core/net/remote-chromium.ts'
import { FetchError, messageOf } from '../../core/errors.ts'
import type { ChromiumSource } from '../../fetch/chromium/engine.ts'
import { openRemoteBrowser } from '../../fetch/chromium/remote-browser.ts'
import { createRenderer } from '../../fetch/chromium/renderer.ts'
import { type DoctorCheck, failed, type Finding, ok, skipped, warning } from '../../service/operation/doctor.ts'
import { serverPid } from '../../store/files/directory-lock.ts'
import { chromiumName, chromiumOf } from '../chromium.ts'
import { networkOptions } from '../page-settings.ts'
import { budgetFor, fetchPage } from './network.ts'

/** The deadline of a rendered page, in milliseconds; starting the browser takes longest on a busy machine. */
const RENDER_MS = 25_000

/** The title that the page's script sets. */
const SCRIPT_TITLE = 'set by a script'

/** Checks Chromium, and that neither it nor the HTTP client reaches a private address. */
export function egressChecks(config: Config): DoctorCheck[] {
  // One browser for both checks.
  let rendering: Promise<Rendering> | null = null
  const rendered = (source: ChromiumSource, signal: AbortSignal) =>
    (rendering ??= renderOwnPage(config, source, signal))
  // Chromium on another machine connects to the proxy at a fixed port, which a running server uses from its first page on.
  // Checked only once, because the browser of these checks uses the port too.
  let isProxyInUse: boolean | null = null
  const usesProxyOfServer = (source: ChromiumSource): source is RemoteChromium =>
    'url' in source && (isProxyInUse ??= serverPid(config.dataDir) !== null || isInUse(source.listen))
  const withChromium = async (check: (source: ChromiumSource) => Promise<Finding>): Promise<Finding> => {
    if (config.chromium.mode === 'off') return skipped('turned off by URLMETA_CHROMIUM')
    const source = chromiumOf(config)
    if (source !== null) return check(source)
    return warning(
      'not found: pages that need JavaScript are fetched by plain HTTP only',
      'Install Chromium (apt install chromium-headless-shell), set URLMETA_CHROMIUM to its path, or set it to off.',
    )
  }
  return [
    { name: 'egress guard, http', run: (signal) => checkHttp(config, signal) },
    {
      name: 'Chromium',
      run: (signal) =>
        withChromium(async (source) =>
          usesProxyOfServer(source)
            ? await connectionFinding(source, signal)
            : chromiumFinding(source, await rendered(source, signal)),
        ),
    },
    {
      name: 'egress guard, headless',
      run: (signal) =>
        withChromium(async (source) => {
          if (usesProxyOfServer(source)) return skipped(PROXY_IN_USE)
          const { title, reached } = await rendered(source, signal)
          if (title !== SCRIPT_TITLE) return skipped('no page could be rendered')
          return reached ? reachedFinding(config) : ok('a page could not load a private address')
        }),
    },
  ]
}

/** A server on a private address that records whether it was reached. */
function openPrivateServer(page = 'private') {
  let requests = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch() {
      requests++
      return new Response(page, { headers: { 'content-type': 'text/html; charset=utf-8' } })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/`,
    port: server.port!,
    wasReached: () => requests > 0,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

async function checkHttp(config: Config, signal: AbortSignal): Promise<Finding> {
  await using target = openPrivateServer()
  const failure = await fetchPage(config, new URL(target.url), signal).then(
    () => null,
    (error: unknown) => error,
  )
  if (target.wasReached()) return reachedFinding(config)
  if (failure instanceof FetchError && failure.failure === 'address_not_allowed')
    return ok('a private address is refused')
  return failed(
    `a private address was not refused: ${messageOf(failure)}`,
    'Do not use this build, and report the problem (SECURITY.md).',
  )
}

function reachedFinding({ allowPrivateHosts }: Config): Finding {
  return allowPrivateHosts.length > 0
    ? warning(
        'URLMETA_ALLOW_PRIVATE_HOSTS lets fetches reach every port of this machine',
        'List only the hosts and ports that may be fetched, as host:port.',
      )
    : failed('a private address was reached', 'Stop the server, and report the problem (SECURITY.md).')
}

interface Rendering {
  /** The title after rendering; null when the page could not be rendered. */
  title: string | null
  /** Whether the page loaded something from a private address. */
  reached: boolean
  browser: { version: string; hasSandbox: boolean | null } | null
  fault: unknown
}

async function renderOwnPage(config: Config, source: ChromiumSource, signal: AbortSignal): Promise<Rendering> {
  await using target = openPrivateServer()
  await using own = openPrivateServer(
    `<!doctype html><title>as sent</title><img src="${target.url}"><iframe src="${target.url}"></iframe>` +
      `<script>document.title = '${SCRIPT_TITLE}'; fetch('${target.url}', { mode: 'no-cors' }).catch(() => {})</script>`,
  )
  const result: Rendering = { title: null, reached: false, browser: null, fault: null }
  const reach = networkOptions(config, () => [])
  await using renderer = createRenderer({
    ...reach,
    allow: [...reach.allow, parseAllowRule(`127.0.0.1:${own.port}`)!],
    chromium: source,
    concurrency: 1,
    userAgent: null,
    onStart: (browser) => void (result.browser = browser),
    onError: (error) => (result.fault = error),
  })
  const outcome = await renderer.render(new URL(own.url), budgetFor(RENDER_MS, signal))
  result.reached = target.wasReached()
  if ('page' in outcome) {
    result.title = /<title>([^<]*)<\/title>/.exec(new TextDecoder().decode(outcome.page.bytes))?.[1] ?? ''
  } else {
    result.fault ??= new Error(outcome.failure.replaceAll('_', ' '))
  }
  return result
}

const PROXY_IN_USE = 'a running server uses the port of the proxy, so no page was rendered'

function isInUse({ host, port }: RemoteChromium['listen']): boolean {
  try {
    Bun.listen({ hostname: host, port, socket: { data() {} } }).stop(true)
    return false
  } catch (error) {
    // Other errors are reported when the page is rendered.
    return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  }
}

async function connectionFinding({ url }: RemoteChromium, signal: AbortSignal): Promise<Finding> {
  try {
    await using opened = await openRemoteBrowser(url, signal)
    return ok(`${opened.version} responds at ${maskedBrowserUrl(url)}; ${PROXY_IN_USE}`)
  } catch (error) {
    return failed(messageOf(error), REMOTE_REMEDY)
  }
}

const REMOTE_REMEDY =
  'Compare URLMETA_CHROMIUM with the address of the browser, and URLMETA_CHROMIUM_PROXY with how it reaches this machine (docs/headless.md).'

function chromiumFinding(source: ChromiumSource, { title, browser, fault }: Rendering): Finding {
  const name = chromiumName(source)
  const isRemote = 'url' in source
  const remedy = isRemote
    ? REMOTE_REMEDY
    : `Run ${name} --version as the user of the server to see missing libraries. URLMETA_CHROMIUM selects another executable, or off.`
  if (browser === null) return failed(`${name} does not start: ${messageOf(fault)}`, remedy)
  if (title !== SCRIPT_TITLE)
    return failed(`${name} cannot render a page: ${fault === null ? title : messageOf(fault)}`, remedy)
  if (browser.hasSandbox === false) {
    return warning(
      `${browser.version} renders pages, without its sandbox`,
      'Run urlmeta as a user other than root, and allow unprivileged user namespaces (docs/headless.md).',
    )
  }
  return ok(`${browser.version} renders pages, ${isRemote ? `at ${name}` : 'in its sandbox'}`)
}
