import { Sieve } from '../../../src/core/extract/page/sieve.ts'
import { TextReader } from '../../../src/core/extract/reading/text.ts'

/** A page as the sieve sees it, in the form of `browserView`. */
export function sieveView(html: string): string[] {
  const bytes = new TextEncoder().encode(html)
  const sieve = new Sieve(() => true)
  sieve.read(bytes, true)
  const { harvest } = sieve.result()
  const reader = new TextReader(bytes, 'utf-8')
  const found: { at: number; line: string }[] = []
  for (const [key, ranges] of harvest.metas) {
    for (const range of ranges) found.push({ at: range.start, line: `meta ${key}=${reader.attribute(range)}` })
  }
  for (const { href } of harvest.links) found.push({ at: href.start, line: `link ${reader.attribute(href)}` })
  for (const range of harvest.titles) found.push({ at: range.start, line: `title ${reader.text(range)}` })
  for (const range of harvest.jsonLd) found.push({ at: range.start, line: `json-ld ${reader.raw(range, Infinity)}` })
  found.sort((a, b) => a.at - b.at)
  return [
    `html ${harvest.language === null ? '-' : reader.attribute(harvest.language)}`,
    `base ${harvest.base === null ? '-' : reader.attribute(harvest.base)}`,
    ...found.map(({ line }) => line),
  ]
}
