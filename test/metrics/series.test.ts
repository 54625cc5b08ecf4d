import { describe, expect, test } from 'bun:test'
import { Counter, Histogram, Registry } from 'prom-client'

import { registerSeries } from '../../src/metrics/series.ts'

const BOUNDS = [0.001, 0.25, 1, 15]

/** The text of our metric and of the one of prom-client, after the same calls. */
async function texts(names: string[], bounds: number[] | undefined, values: [value: number, ...labels: string[]][]) {
  const [ours, theirs] = [new Registry(), new Registry()]
  const options = { name: 'a_metric', help: 'With "quotes",\na break and \\.', labelNames: names, registers: [theirs] }
  const { name, help } = options
  const series = registerSeries(ours, name, help, names, bounds)
  const histogram = bounds && new Histogram({ ...options, buckets: bounds })
  const counter = bounds ? null : new Counter(options)
  for (const [value, ...labels] of values) {
    const named = Object.fromEntries(names.map((label, i) => [label, labels[i]!]))
    if (bounds) series.observe(value, ...labels)
    else series.inc(labels[0], labels[1], value)
    histogram?.observe(named, value)
    counter?.inc(named, value)
  }
  return [await ours.metrics(), await theirs.metrics()] as const
}

describe('the text is that of prom-client', () => {
  test.each<[string, string[], number[] | undefined, [number, ...string[]][]]>([
    ['a counter without labels starts at 0', [], undefined, []],
    ['a counter with labels has no series at first', ['route'], undefined, []],
    ['a series that is started has 0', ['route'], undefined, [[0, '/a']]],
    ['a counter', [], undefined, [[1], [3]]],
    [
      'a counter with a label',
      ['route'],
      undefined,
      [
        [1, '/a'],
        [2, '/b'],
        [5, '/a'],
      ],
    ],
    [
      'a counter with two labels',
      ['route', 'outcome'],
      undefined,
      [
        [1, '/a', 'ok'],
        [2, '/a', 'failed'],
        [5, '/b', 'ok'],
        [1, '/a', 'ok'],
      ],
    ],
    [
      'labels with special characters',
      ['route', 'outcome'],
      undefined,
      [
        [1, '"a\\b\nc', ''],
        [1, 'ü', '{}'],
      ],
    ],
    ['a histogram without labels starts at 0', [], BOUNDS, []],
    ['a histogram', [], BOUNDS, [[0.5], [0.0005], [2], [2.5]]],
    ['values equal to a bound are in its bucket', [], BOUNDS, [[0.001], [1], [15]]],
    ['values over all bounds are only in +Inf', [], BOUNDS, [[15.001], [100]]],
    [
      'a histogram with labels',
      ['route', 'cache'],
      BOUNDS,
      [
        [0.1, '/a', 'hit'],
        [3, '/a', 'miss'],
        [0.2, '/a', 'hit'],
      ],
    ],
  ])('%s', async (_, names, bounds, values) => {
    const [ours, theirs] = await texts(names, bounds, values)
    expect(theirs).toContain('# TYPE a_metric')
    expect(ours).toBe(theirs)
  })
})
