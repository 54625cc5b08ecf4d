// Accuracy of extracted authors and dates on saved pages with labels written by people, per source.
// usage: bun bench/main.ts accuracy --pages DIR
// DIR has the pages in pages/ and labels.json: { file: { url, labels: { author: […], published_time: […] } } }, where each
// list has the accepted values. Precision: correct of extracted values; recall: correct of labeled pages.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { sniffCharset } from '../src/core/extract/reading/charset.ts'
import { dayIn } from '../src/core/extract/date/calendar-day.ts'
import { extractHtml } from '../src/core/extract/extract.ts'

type Labels = Record<string, { url: string; labels: Partial<Record<string, string[]>> }>

const FIELDS = { author: sameAuthor, published_time: sameDay }

export async function run(args: string[]) {
  const { values } = parseArgs({ args, options: { pages: { type: 'string' } } })
  if (!values.pages) throw new Error('usage: bun bench/main.ts accuracy --pages DIR')
  const labels: Labels = JSON.parse(readFileSync(join(values.pages, 'labels.json'), 'utf8'))
  const extractions = Object.entries(labels).map(([file, page]) => {
    const bytes = new Uint8Array(readFileSync(join(values.pages!, 'pages', file)))
    const { encoding } = sniffCharset({ bytes, contentType: 'text/html', isWhole: true })
    return { ...page, ...extractHtml({ bytes, encoding, url: new URL(page.url), now: Date.now() }) }
  })
  for (const [field, isSame] of Object.entries(FIELDS)) {
    const bySource = new Map<string, { correct: number; extracted: number }>()
    let labeled = 0
    for (const { metadata, sources, labels: accepted } of extractions) {
      const acceptedValues = accepted[field]
      if (acceptedValues === undefined) continue
      labeled++
      const value = metadata.meta?.[field as keyof typeof FIELDS]
      if (value === undefined) continue
      const source = sources[`meta.${field}`]!
      const count = bySource.get(source) ?? { correct: 0, extracted: 0 }
      bySource.set(source, count)
      count.extracted++
      if (acceptedValues.some((label) => isSame(value, label))) count.correct++
    }
    report(field, labeled, bySource)
  }
}

function report(field: string, labeled: number, bySource: Map<string, { correct: number; extracted: number }>) {
  const counts = [...bySource.values()]
  const correct = counts.reduce((sum, count) => sum + count.correct, 0)
  const extracted = counts.reduce((sum, count) => sum + count.extracted, 0)
  console.log(
    `${field}: ${labeled} labels, precision ${percent(correct, extracted)}, recall ${percent(correct, labeled)}\n`,
  )
  const rows = [...bySource].toSorted(([, a], [, b]) => b.extracted - a.extracted)
  for (const [source, count] of rows) {
    console.log(`${source.padEnd(32)}${String(count.correct).padStart(5)} of ${count.extracted}`)
  }
  console.log()
}

function percent(part: number, whole: number): string {
  return ((100 * part) / Math.max(1, whole)).toFixed(1)
}

/** Whether all names in one list are in the other. */
function sameAuthor(value: string, label: string): boolean {
  const [some, others] = [namesIn(value), namesIn(label)]
  const isWithin = (a: string[], b: string[]) => a.every((name) => b.some((other) => other.includes(name)))
  return some.length > 0 && others.length > 0 && (isWithin(some, others) || isWithin(others, some))
}

function namesIn(text: string): string[] {
  const names = text.toLowerCase().split(/,|&|\||·|\s(?:and|und|et|y)\s/)
  return names.map((name) => name.replace(/[^\p{L}\d]+/gu, ' ').trim()).filter((name) => name !== '')
}

/** Whether they are on the same day in some time zone. */
function sameDay(value: string, label: string): boolean {
  const days = [value, label].map((text) => dayIn(text, { language: 'en-US', now: Infinity }))
  if (days[0] === undefined || days[1] === undefined) return false
  const instants = [value, label].map((text, i) => (/\d:\d/.test(text) ? Date.parse(text) : Date.parse(days[i]!)))
  return days[0] === days[1] || Math.abs(instants[0]! - instants[1]!) < 86_400_000
}
