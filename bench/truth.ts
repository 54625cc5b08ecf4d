// How true authors and dates are, on saved pages whose values people wrote down, and by which source.
// usage: bun bench/main.ts truth --pages DIR
// DIR has the pages in pages/ and labels.json: { file: { url, labels: { author: […], published_time: […] } } }, each list
// with the answers that are right. Precision: right of answered; recall: right of labelled.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { sniffCharset } from '../src/core/charset.ts'
import { dayIn } from '../src/core/extract/calendar-day.ts'
import { extractHtml } from '../src/core/extract/extract.ts'

type Labels = Record<string, { url: string; labels: Partial<Record<string, string[]>> }>

const FIELDS = { author: sameAuthor, published_time: sameDay }

export async function run(args: string[]) {
  const { values } = parseArgs({ args, options: { pages: { type: 'string' } } })
  if (!values.pages) throw new Error('usage: bun bench/main.ts truth --pages DIR')
  const labels: Labels = JSON.parse(readFileSync(join(values.pages, 'labels.json'), 'utf8'))
  const extractions = Object.entries(labels).map(([file, page]) => {
    const bytes = new Uint8Array(readFileSync(join(values.pages!, 'pages', file)))
    const { encoding } = sniffCharset({ bytes, contentType: 'text/html', isWhole: true })
    return { ...page, ...extractHtml({ bytes, encoding, url: new URL(page.url), now: Date.now() }) }
  })
  for (const [field, isSame] of Object.entries(FIELDS)) {
    const bySource = new Map<string, { right: number; answered: number }>()
    let labelled = 0
    for (const { metadata, sources, labels: right } of extractions) {
      const accepted = right[field]
      if (accepted === undefined) continue
      labelled++
      const value = metadata.meta?.[field as keyof typeof FIELDS]
      if (value === undefined) continue
      const source = sources[`meta.${field}`]!
      const count = bySource.get(source) ?? { right: 0, answered: 0 }
      bySource.set(source, count)
      count.answered++
      if (accepted.some((label) => isSame(value, label))) count.right++
    }
    report(field, labelled, bySource)
  }
}

function report(field: string, labelled: number, bySource: Map<string, { right: number; answered: number }>) {
  const counts = [...bySource.values()]
  const right = counts.reduce((sum, count) => sum + count.right, 0)
  const answered = counts.reduce((sum, count) => sum + count.answered, 0)
  console.log(
    `${field}: ${labelled} labels, precision ${percent(right, answered)}, recall ${percent(right, labelled)}\n`,
  )
  const rows = [...bySource].toSorted(([, a], [, b]) => b.answered - a.answered)
  for (const [source, count] of rows) {
    console.log(`${source.padEnd(32)}${String(count.right).padStart(5)} of ${count.answered}`)
  }
  console.log()
}

function percent(part: number, whole: number): string {
  return ((100 * part) / Math.max(1, whole)).toFixed(1)
}

/** Whether one names nobody whom the other does not name. */
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
