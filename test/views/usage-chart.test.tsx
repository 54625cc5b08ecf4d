import { describe, expect, test } from 'bun:test'

import { axisTop, type ChartDay, chartDays, outlierOf, totalsOf } from '../../views/ui/chart-days.ts'
import { timeLinks } from '../../views/requests/request-links.ts'
import { UsageChart, UsageTable } from '../../views/ui/usage-chart.tsx'
import { pageTree } from '../page-tree.ts'
import { elementsOf } from './markup.ts'
import { LOGGED_DAYS, NOW_MS } from './samples.tsx'

const day = (date: string, successes: number, cacheHits: number, failures: number) => ({
  day: date,
  successes,
  cacheHits,
  failures,
})

describe('the days of a chart', () => {
  test('add up the keys, and ignore days outside the period', () => {
    const counts = [day('2026-11-20', 5, 2, 1), day('2026-11-20', 4, 4, 0), day('2026-11-18', 9, 9, 9)]
    expect(chartDays(counts, 2, NOW_MS)).toEqual([
      { day: '2026-11-19', fresh: 0, cached: 0, failed: 0 },
      { day: '2026-11-20', fresh: 3, cached: 6, failed: 1 },
    ])
  })

  test('have correct totals', () => {
    const days = chartDays([day('2026-11-19', 5, 2, 1), day('2026-11-20', 4, 4, 0)], 30, NOW_MS)
    expect(totalsOf(days)).toMatchObject({ responses: 9, cached: 6, failed: 1, busiest: { day: '2026-11-19' } })
    expect(totalsOf(chartDays([], 30, NOW_MS)).busiest).toBeNull()
  })
})

test.each<[highest: number, top: number]>([
  [0, 2],
  [2, 2],
  [3, 4],
  [5, 6],
  [9, 10],
  [10, 10],
  [11, 12],
  [13, 16],
  [17, 20],
  [21, 24],
  [25, 30],
  [31, 40],
  [41, 50],
  [51, 60],
  [61, 80],
  [81, 100],
  [100, 100],
  [101, 120],
  [201, 240],
  [250, 300],
  [999_999, 1_000_000],
])('an axis for up to %d ends at %d', (highest, top) => expect(axisTop(highest)).toBe(top))

test('for 6 or more, the axis ends at an even number and at most a quarter of it is unused', () => {
  const wrong = Array.from({ length: 20_000 }, (_, n) => n + 6).filter((highest) => {
    const top = axisTop(highest)
    return top % 2 !== 0 || top < highest || highest / top < 0.75
  })
  expect(wrong).toEqual([])
})

const DAYS: ChartDay[] = [
  { day: '2026-11-18', fresh: 40, cached: 10, failed: 0 },
  { day: '2026-11-19', fresh: 0, cached: 0, failed: 0 },
  { day: '2026-11-20', fresh: 50, cached: 25, failed: 25 },
]

describe('a chart', () => {
  const elements = elementsOf((<UsageChart days={DAYS} empty="" />) as string)
  const path = (series: string) =>
    elements.find(({ tag, attributes }) => tag === 'path' && attributes['class'] === series)

  test.each<[series: string, expected: string]>([
    ['fresh', 'M0.14 100v-40h0.72v40zM2.14 100v-50h0.72v50z'],
    ['cached', 'M0.14 60v-10h0.72v10zM2.14 50v-25h0.72v25z'],
    ['failed', 'M2.14 25v-25h0.72v25z'],
  ])('stacks %s to scale', (series, expected) => expect(path(series)?.attributes['d']).toBe(expected))

  test('has the same content as text', () => {
    expect(elements.find(({ tag }) => tag === 'svg')?.attributes['aria-label']).toBe(
      'Requests per day, 18 Nov to 20 Nov: 125 successful requests, 35 from cache, 25 failed. Most: 20 Nov, 100.',
    )
    expect(elements.filter(({ tag }) => tag === 'title').map(({ text }) => text.trim())).toEqual([
      '18 Nov: 50 successful requests (10 from cache)',
      '19 Nov: 0 successful requests',
      '20 Nov: 75 successful requests (25 from cache), 25 failed',
    ])
  })
})

test('the table has the same numbers, newest first, without empty days', () => {
  const cells = elementsOf((<UsageTable days={DAYS} />) as string)
    .filter(({ tag }) => tag === 'td')
    .map(({ text }) => text.trim())
  expect(cells).toEqual(['75', '25', '25', '50', '10', '0', '125', '35', '25'])
})

const counted = (...requests: number[]): ChartDay[] =>
  requests.map((fresh, index) => ({
    day: `2026-11-${String(index + 1).padStart(2, '0')}`,
    fresh,
    cached: 0,
    failed: 0,
  }))

test.each<[name: string, requests: number[], outlier: number | null]>([
  ['more than four times any other day', [10, 41, 8], 1],
  ['four times another day', [10, 40, 8], null],
  ['two days', [10, 90, 90], null],
  ['the only day with requests', [0, 90, 0], null],
  ['no requests', [0, 0, 0], null],
  ['a single day', [90], null],
])('an outlier: %s', (_, requests, outlier) => {
  const days = counted(...requests)
  expect(outlierOf(days)).toBe(outlier === null ? null : days[outlier]!)
})

test('the column of an outlier is cut, and its number is said', () => {
  const html = (<UsageChart days={counted(10, 5_000, 8)} empty="" />) as string
  expect(html).toContain('The column of 2 Nov is cut: 5,000 requests.')
  const columns = elementsOf(html).find(({ tag, attributes }) => tag === 'path' && attributes['class'] === 'fresh')
  expect(columns?.attributes['d']).toBe('M0.14 100v-100h0.72v100zM1.14 100v-100h0.72v100zM2.14 100v-80h0.72v80z')
})

test.each([
  [24, 'hour', '13:00 18:00 22:00 03:00 07:00 12:00'],
  [7, 'day', '14 Nov 15 16 17 18 19 20'],
  [30, 'day', '22 Oct 28 3 Nov 8 14 20'],
  [90, 'day', '23 Aug 10 Sep 28 15 Oct 2 Nov 20'],
  [12, 'month', 'Jan Mar May Jul Sep Nov'],
] as const)('the x axis of %d columns, one per %s, has at least six labels', (length, unit, labels) => {
  const html = (
    <UsageChart days={chartDays([day('2026-11-20T12', 1, 0, 0)], length, NOW_MS, unit)} empty="" />
  ) as string
  const axis = pageTree(html).querySelectorAll('.axis-x span')
  expect(axis.flatMap(({ text }) => text || []).join(' ')).toBe(labels)
})

test.each([
  ['hour', '2026-03-31T00:10:00Z', '2026-03-30T22 2026-03-30T23 2026-03-31T00'],
  ['day', '2026-03-01T23:59:59Z', '2026-02-27 2026-02-28 2026-03-01'],
  // Three times 30 days before is in the same month as twice.
  ['month', '2026-03-31T12:00:00Z', '2026-01 2026-02 2026-03'],
] as const)('the columns of a chart end in the current %s, without gaps', (unit, now, names) => {
  const columns = chartDays([day('2026-03', 1, 0, 0), day('2026-03-01', 1, 0, 0)], 3, Date.parse(now), unit)
  expect(columns.map((one) => one.day).join(' ')).toBe(names)
  expect(columns.at(-1)?.fresh).toBe({ hour: 0, day: 1, month: 2 }[unit])
})

test('columns with requests lead to the log as far back as it reaches', () => {
  const links = (unit: 'hour' | 'day' | 'month', length: number) => {
    const counts = chartDays([], length, NOW_MS, unit).map((one) => day(one.day, 1, 0, 0))
    const days = chartDays(counts.slice(0, -1), length, NOW_MS, unit)
    const html = (<UsageChart days={days} empty="" href={timeLinks('k&1', LOGGED_DAYS)} />) as string
    return pageTree(html)
      .querySelectorAll('.plot a')
      .map((link) => link.getAttribute('href'))
  }
  const url = (time: string) => `/usage/requests?key=k%261&day=${time}`
  expect(links('day', 30)).toEqual(['13', '14', '15', '16', '17', '18', '19'].map((n) => url(`2026-11-${n}`)))
  expect(links('hour', 3)).toEqual([url('2026-11-20T10'), url('2026-11-20T11')])
  expect(links('month', 12)).toEqual([])
})
