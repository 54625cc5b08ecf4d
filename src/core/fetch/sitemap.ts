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

/** The end of longer texts is cut off: a URL has up to 8 KB, and a character as an entity, such as `&amp;`, up to 8. */
const MAX_CHARACTERS = 64 * 1024

/**
 * Reads a sitemap, in linear time: XML, or text with a URL per line. Null if it is neither. Elements of extensions,
 * such as `image:loc`, are ignored.
 */
export function parseSitemap(text: string): Sitemap | null {
  const trimmed = text.trim()
  if (!trimmed.startsWith('<')) {
    const isList = /^https?:\/\//i.test(trimmed)
    return isList ? { kind: 'pages', urls: trimmed.split(/[\r\n]+/, MAX_URLS).map(cut) } : null
  }
  const xml = trimmed.replace(/<!--[^]*?(?:-->|$)/g, '')
  const [, prefix = '', root] = /<(\w+:)?(urlset|sitemapindex)\b/i.exec(xml) ?? []
  if (root === undefined) return null
  const [, ...parts] = xml.split(new RegExp(`<${prefix}loc(?:\\s[^<>]*)?>`), MAX_URLS + 1)
  const urls = parts.flatMap((part) => {
    const [written = '', end] = part.split(`</${prefix}loc`, 2)
    const url = textOf(cut(written))
    return end === undefined || url === '' ? [] : [url]
  })
  return { kind: asciiLowerCase(root) === 'sitemapindex' ? 'index' : 'pages', urls }
}

function textOf(written: string): string {
  const [, data] = /^\s*<!\[CDATA\[([^]*?)\]\]>\s*$/.exec(written) ?? []
  return (data ?? decodeXML(written)).trim()
}

const cut = (text: string) => text.trim().slice(0, MAX_CHARACTERS)
