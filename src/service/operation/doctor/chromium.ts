import { FetchError, messageOf } from '../../../core/errors.ts'
import { failed, type Finding, ok, skipped, warning } from '../doctor.ts'
import remedies from './remedies.json'

/** Set by the script of the test page, which proves that scripts run. */
export const SCRIPT_TITLE = 'set by a script'

/** The test page also tries to load a private address. */
export interface Rendering {
  /** Null if the page could not be rendered. */
  title: string | null
  /** Whether the page loaded something from a private address. */
  reached: boolean
  browser: { version: string; hasSandbox: boolean | null } | null
  fault: unknown
}

/**
 * @param failure the error of fetching a private address; null if the fetch succeeded
 * @param allowsPrivateHosts whether URLMETA_ALLOW_PRIVATE_HOSTS has entries, which may include the fetched address
 */
export function httpGuardFinding(reached: boolean, failure: unknown, allowsPrivateHosts: boolean): Finding {
  if (reached) return reachedFinding(allowsPrivateHosts)
  if (failure instanceof FetchError && failure.failure === 'address_not_allowed') {
    return ok('a private address is refused')
  }
  return failed(`a private address was not refused: ${messageOf(failure)}`, remedies.guard)
}

export function headlessGuardFinding({ title, reached }: Rendering, allowsPrivateHosts: boolean): Finding {
  if (title !== SCRIPT_TITLE) return skipped('no page could be rendered')
  return reached ? reachedFinding(allowsPrivateHosts) : ok('a page could not load a private address')
}

function reachedFinding(allowsPrivateHosts: boolean): Finding {
  return allowsPrivateHosts
    ? warning('URLMETA_ALLOW_PRIVATE_HOSTS lets fetches reach every port of this machine', remedies.private_hosts)
    : failed('a private address was reached', remedies.reached)
}

/** @param name the path or address of Chromium */
export function chromiumFinding(name: string, isRemote: boolean, { title, browser, fault }: Rendering): Finding {
  const remedy = isRemote
    ? remedies.remote_chromium
    : `Run ${name} --version as the user of the server to see missing libraries. URLMETA_CHROMIUM selects another executable, or off.`
  if (browser === null) return failed(`${name} does not start: ${messageOf(fault)}`, remedy)
  if (title !== SCRIPT_TITLE) {
    return failed(`${name} cannot render a page: ${fault === null ? title : messageOf(fault)}`, remedy)
  }
  if (browser.hasSandbox === false) {
    return warning(`${browser.version} renders pages, without its sandbox`, remedies.sandbox)
  }
  return ok(`${browser.version} renders pages, ${isRemote ? `at ${name}` : 'in its sandbox'}`)
}
