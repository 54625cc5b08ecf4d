import { collectDefaultMetrics, Registry } from 'prom-client'

import { FETCH_FAILURES, REFUSALS } from './core/errors.ts'
import type { FetchSummary } from './core/fetch/summary.ts'
import { CACHE_LAYERS, type CacheLayer } from './core/fetch/result-cache.ts'
import { RENDER_FAILURES } from './core/fetch/render-report.ts'
import { wordSet } from './core/word-set.ts'
import help from './metrics/help.json'
import { addScrapedMetrics, type MetricName, type ScrapedValues } from './metrics/scraped-metrics.ts'
import { registerMetric, registerSeries } from './metrics/series.ts'

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

const CACHE_LABELS = { HIT: 'hit', MISS: 'miss', none: 'none' }
/** In seconds, from a cached response to the longest fetch. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
/** In seconds. A commit takes 0.1 ms, and up to 5 s when the database is locked. */
const COMMIT_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5]
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024]

const API_PREFIX = '/v1/'
const API_OUTCOMES = ['ok', 'invalid_request', ...REFUSALS, 'fetch_failed', 'client_closed']
/** The label for requests that match no route. */
const NO_ROUTE = '-'

/** The process metrics of prom-client for which Bun has values. The event-loop lag metrics are reset at each scrape. */
const PROCESS_METRICS = wordSet(
  'process_cpu_user_seconds_total process_cpu_system_seconds_total process_cpu_seconds_total ' +
    'process_start_time_seconds process_resident_memory_bytes process_open_fds process_max_fds ' +
    'nodejs_eventloop_lag_seconds nodejs_eventloop_lag_mean_seconds nodejs_eventloop_lag_p99_seconds ' +
    'nodejs_eventloop_lag_max_seconds',
)

export type Metrics = ReturnType<typeof createMetrics>

/** The Prometheus metrics of this process. No label has a URL, a host, a key or a message as its value. */
export function createMetrics({ build, scraped }: MetricsDeps) {
  const registry = new Registry()
  const types = metricTypes(registry)
  const requests = requestMetrics(types)
  const usage = usageMetrics(types)
  addScrapedMetrics(registry, scraped)
  registerMetric(registry, 'gauge', 'urlmeta_build_info', help.urlmeta_build_info, async () => [
    { labels: build, value: 1 },
  ])
  addProcessMetrics(registry)

  return {
    ...requests,
    ...usage,
    /** All metrics in the text format of Prometheus. */
    scrape: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

function requestMetrics(types: MetricTypes) {
  const { counter, counterOf, histogram } = types
  const requests = counter('urlmeta_http_requests_total', ['route', 'outcome'])
  const durations = histogram('urlmeta_http_request_duration_seconds', DURATION_BUCKETS, ['route', 'cache'])
  const cacheHits = counterOf('urlmeta_cache_hits_total', { layer: CACHE_LAYERS })
  const cacheMisses = counter('urlmeta_cache_misses_total')
  const refusals = counterOf('urlmeta_admission_refusals_total', { reason: REFUSALS })
  const countFetch = fetchMetrics(types)

  return {
    request(fields: RequestFields, elapsedMs: number) {
      const { route, outcome, cache, cacheLayer } = fields
      requests.inc(route, outcome)
      durations.observe(elapsedMs / 1_000, route, CACHE_LABELS[cache ?? 'none'])
      if (cacheLayer !== undefined) cacheHits.inc(cacheLayer)
      else if (cache === 'MISS') cacheMisses.inc()
      if (REFUSALS.some((refusal) => refusal === outcome)) refusals.inc(outcome)
      countFetch(fields)
    },

    /** Sets the internal errors of all routes, and each outcome of API requests, to 0. */
    addRoutes(patterns: readonly string[]) {
      for (const route of [...patterns, NO_ROUTE]) requests.inc(route, 'internal', 0)
      for (const route of patterns.filter((pattern) => pattern.startsWith(API_PREFIX))) {
        for (const outcome of API_OUTCOMES) requests.inc(route, outcome, 0)
      }
    },
  }
}

/** Returns a function that counts the fetch of a request, if it had one. */
function fetchMetrics({ counterOf, histogram }: MetricTypes) {
  const fetches = counterOf('urlmeta_fetches_total', {
    method: ['http', 'headless'],
  })
  const fetchFailures = counterOf('urlmeta_fetch_failures_total', {
    reason: FETCH_FAILURES,
  })
  const renderFailures = counterOf('urlmeta_render_failures_total', { reason: Object.keys(RENDER_FAILURES) })
  const phases = histogram('urlmeta_fetch_phase_duration_seconds', DURATION_BUCKETS, ['phase'])

  return ({ outcome, failure, phases: phaseMs, fetchMethod, renderFailure }: RequestFields) => {
    // Failed sign-ins have a `failure` too.
    if (outcome === 'fetch_failed' && failure !== undefined) fetchFailures.inc(failure)
    if (fetchMethod !== undefined) fetches.inc(fetchMethod)
    if (renderFailure !== undefined) renderFailures.inc(renderFailure)
    if (phaseMs === undefined) return
    for (const [phase, ms] of Object.entries(phaseMs)) phases.observe(ms / 1_000, phase)
  }
}

function usageMetrics({ counter, histogram }: MetricTypes) {
  const durations = histogram('urlmeta_usage_commit_duration_seconds', COMMIT_BUCKETS)
  const sizes = histogram('urlmeta_usage_batch_size', BATCH_BUCKETS)
  const failures = counter('urlmeta_usage_commit_failures_total')
  const droppedLogged = counter('urlmeta_request_log_dropped_total')

  return {
    /** Counts a batch of the usage meter. */
    commit({ size, durationMs, isCommitted }: { size: number; durationMs: number; isCommitted: boolean }) {
      if (!isCommitted) failures.inc()
      durations.observe(durationMs / 1_000)
      sizes.observe(size)
    },

    requestLogDropped: (dropped: number) => droppedLogged.inc('', '', dropped),
  }
}

type MetricTypes = ReturnType<typeof metricTypes>

function metricTypes(registry: Registry) {
  const counter = (name: MetricName, labels?: string[]) => registerSeries(registry, name, help[name], labels)
  const histogram = (name: MetricName, bounds: number[], labels?: string[]) =>
    registerSeries(registry, name, help[name], labels, bounds)

  /** A counter of one label with known values. Each starts at 0, because Prometheus needs a first value to compute a rate. */
  function counterOf(name: MetricName, known: Record<string, readonly string[]>) {
    const counted = counter(name, Object.keys(known))
    for (const value of Object.values(known).flat()) counted.inc(value, '', 0)
    return counted
  }

  return { counter, histogram, counterOf }
}

/**
 * One registry for all servers of the process, because prom-client walks the whole heap to set up default metrics, some
 * of which are not used here.
 */
let allOfProcess: Registry | null = null

function addProcessMetrics(registry: Registry): void {
  if (allOfProcess === null) collectDefaultMetrics({ register: (allOfProcess = new Registry()) })
  // In prom-client's order, because collecting one metric sets the values of the next ones.
  for (const { name } of allOfProcess.getMetricsAsArray()) {
    if (PROCESS_METRICS.has(name)) registry.registerMetric(allOfProcess.getSingleMetric(name)!)
  }
}
