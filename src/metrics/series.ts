import type { Gauge, Registry } from 'prom-client'

type Labels = Record<string, string | number>

/** The values observed with the same labels. Values over all bounds are in no bucket. */
interface Series {
  labels: Labels
  count: number
  sum: number
  buckets: number[]
}

/** Registers a metric whose values are read at each scrape. */
export function registerMetric(
  registry: Registry,
  type: 'counter' | 'gauge' | 'histogram',
  name: string,
  help: string,
  read: () => Promise<{ metricName?: string; labels?: Labels; value: number }[]>,
): void {
  const get = async () => ({ name, help, type, values: await read() })
  // The registry uses only these two properties.
  registry.registerMetric({ name, get } as unknown as Gauge)
}

/**
 * Registers a counter with up to two labels, or a histogram if there are bounds of buckets. prom-client's own counters
 * and histograms build a string to find a series by its labels, which took a tenth of the CPU time of a cached
 * response.
 */
export function registerSeries(
  registry: Registry,
  name: string,
  help: string,
  names: readonly string[] = [],
  bounds?: readonly number[],
) {
  const byLabel = new Map<string, Map<string, Series>>()

  function seriesOf(first: string, second: string): Series {
    const known = byLabel.get(first)?.get(second)
    if (known !== undefined) return known
    const labels = Object.fromEntries(names.map((label, i) => [label, [first, second][i]!]))
    const series = { labels, count: 0, sum: 0, buckets: (bounds ?? []).map(() => 0) }
    byLabel.set(first, (byLabel.get(first) ?? new Map<string, Series>()).set(second, series))
    return series
  }

  const all = () => [...byLabel.values()].flatMap((ofFirst) => [...ofFirst.values()])
  registerMetric(registry, bounds === undefined ? 'counter' : 'histogram', name, help, async () =>
    all().flatMap((one) => (bounds ? histogramValues(name, bounds, one) : { labels: one.labels, value: one.count })),
  )
  if (names.length === 0) seriesOf('', '')
  return {
    inc(first = '', second = '', by = 1) {
      seriesOf(first, second).count += by
    },
    observe(value: number, first = '', second = '') {
      const series = seriesOf(first, second)
      series.count++
      series.sum += value
      const bucket = bounds!.findIndex((bound) => value <= bound)
      if (bucket >= 0) series.buckets[bucket]!++
    },
  }
}

function histogramValues(name: string, bounds: readonly number[], { labels, count, sum, buckets }: Series) {
  let total = 0
  // Each bucket also counts the smaller values.
  const upTo = [...bounds.map((le, i) => ({ le, value: (total += buckets[i]!) })), { le: '+Inf', value: count }]
  return [
    ...upTo.map(({ le, value }) => ({ metricName: `${name}_bucket`, labels: { le, ...labels }, value })),
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
