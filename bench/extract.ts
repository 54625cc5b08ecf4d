// Compares extraction with three libraries on the same pages in the same run, then measures hostile pages.
// usage: bun bench/main.ts extract [--pages DIR] [--rounds N]      (peers: `bun install` in bench/peers, once)
// In the comparison, encoding detection is not measured, because the peers get decoded text.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { sniffCharset } from '../src/core/extract/reading/charset.ts'
import { extractHtml, type HtmlSource } from '../src/core/extract/extract.ts'
import { HOSTILE_PAGES } from '../test/core/extract/hostile-pages.ts'
import { median } from './statistics.ts'

const PEERS = join(import.meta.dir, 'peers/package.json')
const HOSTILE_BYTES = 1_000_000
const HOSTILE_ROUNDS = 5

/** Passes over the pages per round: ours is so fast that a single pass would be too short to measure. */
const OUR_PASSES = 50

interface Page extends HtmlSource {
  text: string
}

type Extractor = (page: Page) => unknown

export async function run(args: string[]) {
  const { values } = parseArgs({
    args,
    options: { pages: { type: 'string' }, rounds: { type: 'string', default: '5' } },
  })
  if (values.pages) await compare(readPages(values.pages), Number(values.rounds))
  measureHostilePages()
}

export function readPages(dir: string): Page[] {
  const names = readdirSync(dir).filter((name) => name.endsWith('.html'))
  if (names.length === 0) throw new Error(`no .html files in ${dir}`)
  return names.map((name) => {
    const bytes = new Uint8Array(readFileSync(join(dir, name)))
    const { encoding } = sniffCharset({ bytes, contentType: 'text/html', isWhole: true })
    const text = new TextDecoder(encoding as Bun.Encoding).decode(bytes)
    return { bytes, encoding, text, url: new URL(`https://example.com/${encodeURIComponent(name)}`) }
  })
}

/** The peers as set up in their documentation, without network access. */
function loadPeers(): Record<string, Extractor> {
  if (!existsSync(join(PEERS, '../node_modules'))) {
    console.log('peers are not installed: run `bun install` in bench/peers\n')
    return {}
  }
  const require = createRequire(PEERS)
  const rules = ['author', 'date', 'description', 'image', 'lang', 'publisher', 'title', 'url']
  const metascraper = require('metascraper')(rules.map((rule) => require(`metascraper-${rule}`)()))
  const openGraphScraper = require('open-graph-scraper')
  const urlMetadata = require('url-metadata')
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  return {
    'url-metadata': ({ text }) => urlMetadata(null, { parseResponseObject: new Response(text, { headers }) }),
    'open-graph-scraper': ({ text }) => openGraphScraper({ html: text }).catch(() => null),
    metascraper: ({ text, url }) => metascraper({ html: text, url: url.href }),
  }
}

/** Returns the pages per second of this extraction and of the fastest library. */
export async function compare(pages: readonly Page[], rounds: number): Promise<{ ours: number; fastest: number }> {
  const extractors: Record<string, Extractor> = { urlmeta: extractHtml, ...loadPeers() }
  const rates: Record<string, number[]> = {}
  // Rounds alternate between the libraries, so that other load affects all equally. The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, extract] of Object.entries(extractors)) {
      const rate = await pagesPerSecond(pages, extract, extract === extractHtml ? OUR_PASSES : 1)
      if (round > 0) (rates[name] ??= []).push(rate)
    }
  }
  const ours = median(rates['urlmeta']!)
  const megabytes = pages.reduce((sum, { bytes }) => sum + bytes.length, 0) / 1e6
  console.log(`${pages.length} pages, ${megabytes.toFixed(1)} MB, median of ${rounds} rounds, one core\n`)
  for (const [name, measured] of Object.entries(rates)) {
    const rate = median(measured)
    const ratio = name === 'urlmeta' ? '' : `urlmeta is ${(ours / rate).toFixed(0)} times as fast`
    console.log(`${name.padEnd(20)}${rate.toFixed(0).padStart(8)} pages/s   ${ratio}`)
  }
  console.log()
  const peers = Object.keys(rates).filter((name) => name !== 'urlmeta')
  return { ours, fastest: Math.max(...peers.map((name) => median(rates[name]!))) }
}

async function pagesPerSecond(pages: readonly Page[], extract: Extractor, passes: number): Promise<number> {
  const startedAt = performance.now()
  for (let pass = 0; pass < passes; pass++) {
    for (const page of pages) {
      const result = extract(page)
      if (result instanceof Promise) await result
    }
  }
  return (pages.length * passes * 1_000) / (performance.now() - startedAt)
}

/**
 * Measures all synchronous work on hostile pages, including encoding detection, and prints the slowest first. Takes the
 * best of several rounds, because only the cost of the page matters.
 */
function measureHostilePages() {
  const rows = Object.entries(HOSTILE_PAGES).map(([name, page]) => {
    const half = bestMs(page(HOSTILE_BYTES / 2))
    const whole = bestMs(page(HOSTILE_BYTES))
    return { name, whole, growth: whole / half }
  })
  rows.sort((a, b) => b.whole - a.whole)
  console.log(`${rows.length} hostile pages of 1 MB, slowest ten (growth: against half the size)\n`)
  for (const { name, whole, growth } of rows.slice(0, 10)) {
    console.log(`${name.padEnd(36)}${whole.toFixed(1).padStart(6)} ms   growth ${growth.toFixed(1)}`)
  }
}

function bestMs(html: string): number {
  const bytes = new TextEncoder().encode(html)
  const url = new URL('https://example.com/')
  const times = Array.from({ length: HOSTILE_ROUNDS }, () => {
    const startedAt = performance.now()
    const { encoding } = sniffCharset({ bytes, contentType: 'text/html', isWhole: true })
    extractHtml({ bytes, encoding, url })
    return performance.now() - startedAt
  })
  return Math.min(...times)
}
