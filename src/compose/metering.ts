import type { FixedConfig } from '../config.ts'
import type { CurrentSettings } from '../core/settings/live-settings.ts'
import { type NetworkOptions, withoutSites } from '../fetch/connection/network.ts'
import { createImageFetcher } from '../fetch/images.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { createPublicImages } from '../service/lookup/public-images.ts'
import { createAdmission } from '../service/usage/admission.ts'
import { createFailedAuthentications } from '../service/usage/failed-authentications.ts'
import { createRejectedRequests } from '../service/usage/rejected-requests.ts'
import { createRequestRecorder } from '../service/usage/request-recorder.ts'
import { createUsageMeter } from '../service/usage/usage-meter.ts'
import { createUsageSettler } from '../service/usage/usage-settler.ts'
import { clientLimiter } from './shared-state.ts'
import type { Storage } from './storage.ts'
import { systemDeps } from './system-deps.ts'
import { owning } from './owning.ts'

interface MeteringDeps {
  settings: CurrentSettings<'plans'>
  network: NetworkOptions
  metrics: Metrics
  log: Log
}

/** Opens admission, usage and the request log. Disposing writes the records that are not written yet. */
export function openMetering(config: FixedConfig, storage: Storage, options: MeteringDeps) {
  const stack = new AsyncDisposableStack()
  const { stores } = storage
  const { network, metrics, log } = options
  const deps = { ...storage, ...stores, ...options, ...systemDeps }
  const meter = createUsageMeter({ ...deps, endOfTurn: setImmediate, onBatch: metrics.commit })
  const onFault = (err: unknown) => log.error({ err }, 'recording usage failed; will retry')
  const settler = stack.use(createUsageSettler({ meter, mustRecordSuccesses: stores.isShared, onFault }))
  const failedAuthentications = createFailedAuthentications({ ...deps, limiter: clientLimiter() })
  const { browserPerMinute: visitorPerMinute } = config
  const admission = createAdmission({ ...deps, meter, settler, failedAuthentications, visitorPerMinute })
  const recorder = stack.use(
    createRequestRecorder({
      log: stores.requestLog,
      random: Math.random,
      onDropped: metrics.requestLogDropped,
      onError: (err) => log.error({ err }, 'writing the request log failed'),
    }),
  )
  const onError = (err: unknown) => log.error({ err }, 'counting rejected requests failed')
  const rejectedRequests = stack.use(createRejectedRequests({ ...deps, onError }))
  // A fetcher of its own, so that images share no slots with the dashboard.
  const images = config.imageProxy ? stack.use(createImageFetcher(withoutSites(network))) : null
  return owning(stack, {
    failedAuthentications,
    admission,
    recorder,
    rejectedRequests,
    /** Null if responses have no links to images. */
    publicImages: images && createPublicImages({ ...deps, images, admission }),
  })
}
