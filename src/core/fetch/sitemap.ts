import { decodeXML } from 'entities'

import { asciiLowerCase } from '../ascii-case.ts'

/** What a sitemap lists, as written; see https://www.sitemaps.org/protocol.html. */
export interface Sitemap {
  /** `index`: the URLs are of other sitemaps. */
  kind: 'index' | 'pages'
  urls: string[]
}

/** The number of URLs that the protocol allows. Others are ignored. */
const MAX_URLS = 50_000

/**
 * Reads a sitemap, in linear time: XML, or text with a URL per line. Null if it is neither. Elements of extensions, such
 * as `image:loc`, are ignored.
 */
export function parseSitemap(text: string): Sitemap | null {
  const trimmed = text.trim()
  if (!trimmed.startsWith('<')) {
    const isList = /^https?:\/\//i.test(trimmed)
    return isList ? { kind: 'pages', urls: trimmed.split(/[\r\n]+/, MAX_URLS).map((line) => line.trim()) } : null
  }
  const xml = withoutComments(trimmed)
  const [root] = /<(?:urlset|sitemapindex)\b/i.exec(xml) ?? []
  if (root === undefined) return null
  const [, ...parts] = xml.split(/<loc(?:\s[^<>]*)?>/, MAX_URLS + 1)
  const urls = parts.flatMap((part) => {
    const [written = '', end] = part.split('</loc', 2)
    const url = textOf(written)
    return end === undefined || url === '' ? [] : [url]
  })
  return { kind: asciiLowerCase(root) === '<sitemapindex' ? 'index' : 'pages', urls }
}

function withoutComments(xml: string): string {
  const [before = '', ...comments] = xml.split('<!--')
  return before + comments.map((comment) => comment.split('-->').slice(1).join('-->')).join('')
}

function textOf(written: string): string {
  const [, data] = /^\s*<!\[CDATA\[([^]*?)\]\]>\s*$/.exec(written) ?? []
  return (data ?? decodeXML(written)).trim()
}
