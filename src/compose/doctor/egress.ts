import type { Config } from '../../config.ts'
import { parseAllowRule } from '../../core/net/egress.ts'
import { maskedBrowserUrl, type RemoteChromium } from '../../core/net/remote-chromium.ts'
import { messageOf } from '../../core/errors.ts'
import type { ChromiumSource } from '../../fetch/chromium/engine.ts'
import { openRemoteBrowser } from '../../fetch/chromium/remote-browser.ts'
import { createRenderer } from '../../fetch/chromium/renderer.ts'
import { type DoctorCheck, failed, type Finding, ok, skipped, warning } from '../../service/operation/doctor.ts'
import {
  chromiumFinding,
  headlessGuardFinding,
  httpGuardFinding,
  type Rendering,
  SCRIPT_TITLE,
} from '../../service/operation/doctor/chromium.ts'
import { serverPid } from '../../store/files/directory-lock.ts'
import { chromiumName, chromiumOf } from '../chromium.ts'
import { networkOptions } from '../page-settings.ts'
import { budgetFor, fetchPage } from './network.ts'
import remedies from '../../service/operation/doctor/remedies.json'

/** The deadline of a rendered page, in milliseconds. Starting the browser on a busy machine takes most of this time. */
const RENDER_MS = 25_000

/** Checks Chromium, and checks that neither Chromium nor the HTTP client reaches a private address. */
export function egressChecks(config: Config): DoctorCheck[] {
  // One browser for both checks.
  let rendering: Promise<Rendering> | null = null
  const rendered = (source: ChromiumSource, signal: AbortSignal) =>
    (rendering ??= renderOwnPage(config, source, signal))
  // Chromium on another machine connects to the proxy at a fixed port, which a running server uses from its first page
  // on. The port is checked only once, because the browser of these checks uses the port too.
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
            : chromiumFinding(chromiumName(source), 'url' in source, await rendered(source, signal)),
        ),
    },
    {
      name: 'egress guard, headless',
      run: (signal) =>
        withChromium(async (source) => {
          if (usesProxyOfServer(source)) return skipped(PROXY_IN_USE)
          return headlessGuardFinding(await rendered(source, signal), allowsPrivateHosts(config))
        }),
    },
  ]
}

/** Listens on a private address, and records whether it was reached. */
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
  return httpGuardFinding(target.wasReached(), failure, allowsPrivateHosts(config))
}

const allowsPrivateHosts = ({ live }: Config) => live.allow.length > 0

async function renderOwnPage(config: Config, source: ChromiumSource, signal: AbortSignal): Promise<Rendering> {
  await using target = openPrivateServer()
  await using own = openPrivateServer(
    `<!doctype html><title>as sent</title><img src="${target.url}"><iframe src="${target.url}"></iframe>` +
      `<script>document.title = '${SCRIPT_TITLE}'; fetch('${target.url}', { mode: 'no-cors' }).catch(() => {})</script>`,
  )
  const result: Rendering = { title: null, reached: false, browser: null, fault: null }
  const { allow, sites } = config.live
  const settings = { allow: [...allow, parseAllowRule(`127.0.0.1:${own.port}`)!], sites }
  await using renderer = createRenderer({
    ...networkOptions(config, () => settings),
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
    // Rendering the page reports other errors.
    return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  }
}

async function connectionFinding({ url }: RemoteChromium, signal: AbortSignal): Promise<Finding> {
  try {
    await using opened = await openRemoteBrowser(url, signal)
    return ok(`${opened.version} responds at ${maskedBrowserUrl(url)}; ${PROXY_IN_USE}`)
  } catch (error) {
    return failed(messageOf(error), remedies.remote_chromium)
  }
}
