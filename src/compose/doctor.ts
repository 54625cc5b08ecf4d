import type { Config } from '../config.ts'
import type { Env } from '../config/env-reader.ts'
import { type Finding, type NamedFinding, ok, runChecks, warning } from '../service/operation/doctor.ts'
import { exposedFiles } from './data/data-dir.ts'
import { dataChecks } from './doctor/data.ts'
import { egressChecks } from './doctor/egress.ts'
import { exposureChecks } from './doctor/exposure.ts'
import { networkChecks, OUTBOUND_URLS } from './doctor/network.ts'
import { checkRedis } from './doctor/redis.ts'

export { confirmClock } from './sweep-clock.ts'

/** @param urls the pages that must be reachable; if empty, http and https of example.com */
export function diagnose(config: Config, env: Env, urls: readonly string[]): AsyncGenerator<NamedFinding> {
  const outbound = urls.length > 0 ? urls : OUTBOUND_URLS
  return runChecks([
    { name: 'configuration files', run: async () => checkConfigurationFiles(config) },
    ...dataChecks(config),
    { name: 'Redis', run: () => checkRedis(config) },
    ...networkChecks(config, outbound, env),
    ...exposureChecks(config),
    ...egressChecks(config),
  ])
}

function checkConfigurationFiles(config: Config): Finding {
  const files = exposedFiles(config).join(' ')
  if (files === '') return ok('no file with secrets can be read by every user')
  return warning(`every user of this machine can read ${files}, which can contain secrets`, `chmod o= ${files}`)
}
