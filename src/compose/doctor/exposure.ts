import { existsSync } from 'node:fs'

import { type Config, publicOrigin } from '../../config.ts'
import { classifyAddress } from '../../core/net/address.ts'
import { literalAddress } from '../../core/net/egress.ts'
import { isLoopbackName } from '../../core/net/local-name.ts'
import type { Log } from '../../log.ts'
import { type Finding, ok, skipped, warning } from '../../service/operation/doctor.ts'
import { inspectPostgres } from '../../store/postgres/inspect.ts'
import { schemaOf } from '../../store/sqlite/backup.ts'
import { openStores, type Stores } from '../stores.ts'

/** What people without an account can open: links that lead nowhere for them, and pages that need secrets of a rule. */
export const exposureChecks = (config: Config, hasBrowserKeys = () => findBrowserKey(config)) => [
  { name: 'links', run: async () => linksFinding(config) },
  { name: 'rules for sites', run: () => rulesFinding(config, hasBrowserKeys) },
]

/** Logs the warnings of these checks. For a server that starts. */
export async function warnAboutExposure(config: Config, { keys }: Stores, log: Log): Promise<void> {
  for (const { run } of exposureChecks(config, () => keys.isOriginAllowed(null, Date.now()))) {
    const finding = await run()
    if (finding.status === 'warning') log.warn({}, `${finding.detail}: ${finding.remedy}`)
  }
}

const isLocal = (host: string) => isLoopbackName(host) || classifyAddress(literalAddress(host)) === 'loopback'

function linksFinding(config: Config): Finding {
  const { hostname, origin } = new URL(publicOrigin(config))
  // A server on loopback may serve others through a proxy. Without one, only its own machine opens its pages.
  const servesOthers = !isLocal(config.host) || config.trustedProxies.length > 0
  const links = [
    config.imageProxy && 'images',
    config.providers.length > 0 && 'sign-in',
    servesOthers && config.sharing && 'shared results',
    servesOthers && 'invitations',
  ].filter((name) => name !== false)
  if (links.length === 0 || !isLocal(hostname)) return ok(`links begin with ${origin}`)
  const detail = `links of ${links.join(', ')} lead to ${hostname}, which is another machine for everyone else`
  return warning(detail, 'Set URLMETA_BASE_URL to the address that browsers use.')
}

async function rulesFinding({ live, publicPlayground }: Config, hasBrowserKeys: () => Promise<boolean>) {
  if (!live.sites.some(({ headers, cookies }) => headers ?? cookies)) return skipped('none has headers or cookies')
  const ways = [publicPlayground && 'the public playground', (await hasBrowserKeys()) && 'keys with allowed origins']
  const open = ways.filter((way) => way !== false)
  if (open.length === 0) return ok('only users can read pages that need their headers and cookies')
  const detail = `strangers can read pages that need headers or cookies of URLMETA_SITES, by ${open.join(' and ')}`
  return warning(detail, 'Close these ways, or serve the pages of these rules by another server.')
}

/** Whether a key has allowed origins. Only a database of this version is opened, because opening one upgrades it. */
async function findBrowserKey(config: Config): Promise<boolean> {
  const { database } = config
  if (database.kind === 'SQLite' && !existsSync(database.file)) return false
  const schema = 'url' in database ? (await inspectPostgres(database.url)).schema : schemaOf(database.file)
  if (schema !== 'current') return false
  await using stores = await openStores(config)
  return await stores.keys.isOriginAllowed(null, Date.now())
}
