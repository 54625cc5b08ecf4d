// Pages of typical size: 170 KB on average, with a head of about 10 KB that has og: tags.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Sizes of pages that people share, in KB; their mean is 170. */
const KILOBYTES = [30, 45, 60, 75, 90, 110, 130, 160, 200, 260, 340, 540]

/** All `.html` files of a directory, or generated pages. */
export function pagesOf(dir: string | undefined): Uint8Array[] {
  if (dir === undefined) return KILOBYTES.map((kilobytes, n) => generatedPage(n, kilobytes * 1_000))
  const names = readdirSync(dir).filter((name) => name.endsWith('.html'))
  if (names.length === 0) throw new Error(`no .html files in ${dir}`)
  return names.map((name) => new Uint8Array(readFileSync(join(dir, name))))
}

function generatedPage(n: number, bytes: number): Uint8Array {
  const rule = (i: number) => `.c${i}>a:hover{color:#${i}0${i}0f0;margin:${i}px auto}`
  const script = (i: number) => `window.q=window.q||[];if(q.length<${i}){q.push({id:${i},"name":"</span>"})}`
  const item = (i: number) =>
    `<li class="item c${i % 9}"><a href="/story/${n}/${i}" data-id='${i}'><img src="/i/${i}.jpg" alt="Photo ${i}" ` +
    `width=320 height=200 loading=lazy></a><h3>Headline number ${i} &amp; more</h3><p>Some words about it, and others.</p></li>\n`
  const many = (part: (i: number) => string, length: number) => Array.from({ length }, (_, i) => part(i)).join('')
  const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Story ${n} - The Site</title>
<meta name="viewport" content="width=device-width"><meta name="description" content="What story ${n} says">
<meta property="og:title" content="Story ${n}"><meta property="og:description" content="What it says &ndash; in short">
<meta property="og:image" content="/cover/${n}.jpg"><meta property="og:site_name" content="The Site">
<meta property="og:type" content="article"><meta property="article:published_time" content="2026-03-01T08:00:00Z">
<meta name="twitter:card" content="summary_large_image"><link rel="canonical" href="/story/${n}">
<link rel="icon" href="/favicon.png" sizes="32x32"><style>${many(rule, 120)}</style>
<script type="application/ld+json">{"@type":"NewsArticle","headline":"Story ${n}","author":{"name":"A. Writer"}}</script>
<script>${many(script, 60)}</script></head><body><ul>`
  const items = many(item, Math.max(1, Math.round((bytes - head.length) / item(1_000).length)))
  return new TextEncoder().encode(`${head}${items}</ul></body></html>`)
}
