import { type Accept, unlessAddress } from './accept.ts'
import { bestIcon, type IconRelation } from './icons.ts'
import { localeOf } from './locale.ts'
import type { Itemprop, LinkRelation, MetaKey } from './meta-keys.ts'
import type { Page } from './page.ts'

/** A place in a page where a field's value may stand. */
export interface Source {
  /** As provenance shows it: `og:title`, `json-ld headline`. */
  label: string
  /** Offers its values in document order until one is accepted. */
  find(page: Page, accept: Accept): string | undefined
}

/** Meta elements by `property` or `name`. */
export function meta(key: MetaKey): Source {
  const label = key.includes(':') ? key : `meta ${key}`
  return { label, find: (page, accept) => page.meta(key, accept) }
}

/** Meta elements that say it in `value` instead of `content`. */
export function metaValue(key: MetaKey): Source {
  return { label: `${key} in value`, find: (page, accept) => page.metaValue(key, accept) }
}

/** Microdata, as far as meta, link and time elements carry it. */
export function itemprop(name: Itemprop): Source {
  return { label: `itemprop ${name}`, find: (page, accept) => page.itemprop(name, accept) }
}

export const titleElement: Source = { label: 'title element', find: (page, accept) => page.title(accept) }

export const htmlLang: Source = {
  label: 'html lang',
  find: (page, accept) => accept(localeOf(page.language) ?? ''),
}

/** Addresses of link elements. */
export function link(relation: LinkRelation): Source {
  return { label: `link ${relation}`, find: (page, accept) => page.link(relation, 'href', accept) }
}

/** Titles of link elements: of an author link it is the name. */
export function linkTitle(relation: LinkRelation): Source {
  return { label: `link ${relation} title`, find: (page, accept) => page.link(relation, 'title', accept) }
}

/** A text property of what the page is about. */
export function jsonLd(property: string): Source {
  return { label: `json-ld ${property}`, find: (page, accept) => page.jsonLd.text(property, accept) }
}

export const jsonLdImage: Source = { label: 'json-ld image', find: (page, accept) => page.jsonLd.image(accept) }
export const jsonLdAuthor: Source = { label: 'json-ld author', find: (page, accept) => page.jsonLd.author(accept) }
export const jsonLdPublisher: Source = {
  label: 'json-ld publisher',
  find: (page, accept) => page.jsonLd.publisher(unlessAddress(accept)),
}
export const jsonLdWebSite: Source = {
  label: 'json-ld WebSite name',
  find: (page, accept) => page.jsonLd.webSite(unlessAddress(accept)),
}

/** The icon of a kind that fits best, not the first. */
export function icon(relation: IconRelation): Source {
  return { label: `link ${relation}`, find: (page, accept) => bestIcon(page, relation, accept) }
}
