import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

import { FETCH_FAILURES, REFUSALS } from './core/errors.ts'
import type { FetchSummary } from './core/fetch/summary.ts'
import { CACHE_LAYERS, type CacheLayer } from './core/fetch/result-cache.ts'
import { RENDER_FAILURES } from './core/fetch/render-report.ts'
import { wordSet } from './core/word-set.ts'
import { addRequestMetrics } from './metrics/request-metrics.ts'
import { addScrapedMetrics, type ScrapedValues } from './metrics/scraped-metrics.ts'

/** The fields of a request's log line that feed the metrics. */
export interface RequestFields extends Partial<Pick<FetchSummary, 'phases' | 'fetchMethod' | 'renderFailure'>> {
  route: string
  outcome: string
  cache?: 'HIT' | 'MISS'
  cacheLayer?: CacheLayer
  failure?: string
}

export interface MetricsDeps {
  build: { version: string; commit: string; runtime: string }
  scraped: ScrapedValues
}

/** In seconds. */
const PHASE_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
/** In seconds. A commit takes 0.1 ms, and up to 5 s when the database is locked. */
const COMMIT_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5]
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024]

const API_PREFIX = '/v1/'
const API_OUTCOMES = ['ok', 'invalid_request', ...REFUSALS, 'fetch_failed', 'client_closed']
/** The route of requests that match none. */
const NO_ROUTE = '-'

/** The process metrics of prom-client for which Bun has values. The event-loop lag metrics are reset at each scrape. */
const PROCESS_METRICS = wordSet(
  'process_cpu_user_seconds_total process_cpu_system_seconds_total process_cpu_seconds_total ' +
    'process_start_time_seconds process_resident_memory_bytes process_open_fds process_max_fds ' +
    'nodejs_eventloop_lag_seconds nodejs_eventloop_lag_mean_seconds nodejs_eventloop_lag_p99_seconds ' +
    'nodejs_eventloop_lag_max_seconds',
)

/** The Prometheus metrics of this process. No label has a URL, a host, a key or a message as its value. */
export function createMetrics({ build, scraped }: MetricsDeps) {
  const registry = new Registry()
  const registers = [registry]

  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers })

  const histogram = (name: string, help: string, buckets: number[], labelNames: string[] = []) =>
    new Histogram({ name, help, buckets, labelNames, registers })

  /** A counter with known label values. Each starts at 0, because Prometheus needs a first value to compute a rate. */
  function counterOf(name: string, help: string, label: string, values: readonly string[]): Counter {
    const counted = counter(name, help, [label])
    for (const value of values) counted.inc({ [label]: value }, 0)
    return counted
  }

  const requests = addRequestMetrics(registry)
  const cacheHits: Record<CacheLayer, number> = { memory: 0, database: 0, redis: 0 }
  new Counter({
    name: 'urlmeta_cache_hits_total',
    help: 'Responses from the cache.',
    labelNames: ['layer'],
    registers,
    collect() {
      this.reset()
      for (const layer of CACHE_LAYERS) this.inc({ layer }, cacheHits[layer])
    },
  })
  const cacheMisses = counter('urlmeta_cache_misses_total', 'Responses that had to be fetched.')
  const refusals = counterOf(
    'urlmeta_admission_refusals_total',
    'Requests rejected because of an invalid key or a limit.',
    'reason',
    REFUSALS,
  )
  const fetches = counterOf('urlmeta_fetches_total', 'Pages read, by the method that produced the result.', 'method', [
    'http',
    'headless',
  ])
  const fetchFailures = counterOf(
    'urlmeta_fetch_failures_total',
    'Pages that could not be fetched.',
    'reason',
    FETCH_FAILURES,
  )
  const renderFailures = counterOf(
    'urlmeta_render_failures_total',
    'Pages that should have been rendered but were not.',
    'reason',
    Object.keys(RENDER_FAILURES),
  )
  const phases = histogram(
    'urlmeta_fetch_phase_duration_seconds',
    'Time of each phase of a fetch, redirects included.',
    PHASE_BUCKETS,
    ['phase'],
  )
  const commitDurations = histogram(
    'urlmeta_usage_commit_duration_seconds',
    'Time to commit one batch of usage.',
    COMMIT_BUCKETS,
  )
  const batchSizes = histogram(
    'urlmeta_usage_batch_size',
    'Charges and settlements in one batch of usage.',
    BATCH_BUCKETS,
  )
  const commitFailures = counter('urlmeta_usage_commit_failures_total', 'Batches of usage that could not be committed.')
  const droppedLogged = counter(
    'urlmeta_request_log_dropped_total',
    "Requests that were not written to their user's request log.",
  )

  addScrapedMetrics(registry, scraped)
  new Gauge({
    name: 'urlmeta_build_info',
    help: 'Version, commit and runtime of this process.',
    labelNames: ['version', 'commit', 'runtime'],
    registers,
  }).set({ ...build }, 1)
  addProcessMetrics(registry)

  return {
    request(
      { route, outcome, cache, cacheLayer, failure, phases: phaseMs, fetchMethod, renderFailure }: RequestFields,
      elapsedMs: number,
    ) {
      requests.count(route, outcome, cache ?? 'none', elapsedMs)
      if (cacheLayer !== undefined) cacheHits[cacheLayer]++
      else if (cache === 'MISS') cacheMisses.inc()
      if (REFUSALS.some((refusal) => refusal === outcome)) refusals.inc({ reason: outcome })
      // Failed sign-ins have a `failure` too.
      if (outcome === 'fetch_failed' && failure !== undefined) fetchFailures.inc({ reason: failure })
      if (fetchMethod !== undefined) fetches.inc({ method: fetchMethod })
      if (renderFailure !== undefined) renderFailures.inc({ reason: renderFailure })
      if (phaseMs === undefined) return
      for (const [phase, ms] of Object.entries(phaseMs)) phases.observe({ phase }, ms / 1_000)
    },

    /** Starts the internal errors of all routes, and each outcome of API requests, at 0. */
    addRoutes(patterns: readonly string[]) {
      for (const route of [...patterns, NO_ROUTE]) requests.start(route, 'internal')
      for (const route of patterns.filter((pattern) => pattern.startsWith(API_PREFIX))) {
        for (const outcome of API_OUTCOMES) requests.start(route, outcome)
      }
    },

    /** Counts a batch of the usage meter. */
    commit({ size, durationMs, isCommitted }: { size: number; durationMs: number; isCommitted: boolean }) {
      if (!isCommitted) commitFailures.inc()
      commitDurations.observe(durationMs / 1_000)
      batchSizes.observe(size)
    },

    /** Counts requests that are missing in the request logs of users. */
    requestLogDropped: (dropped: number) => droppedLogged.inc(dropped),

    /** All metrics in the text format of Prometheus. */
    scrape: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

/** One for all servers of the process, because prom-client walks the whole heap to set up metrics that are left out here. */
let allOfProcess: Registry | null = null

function addProcessMetrics(registry: Registry): void {
  if (allOfProcess === null) collectDefaultMetrics({ register: (allOfProcess = new Registry()) })
  // In the original order, because collecting one metric sets the value of the next ones.
  for (const { name } of allOfProcess.getMetricsAsArray()) {
    if (PROCESS_METRICS.has(name)) registry.registerMetric(allOfProcess.getSingleMetric(name)!)
  }
}
