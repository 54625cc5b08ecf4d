import type { ResultDetails } from '../../core/fetch/result-details.ts'
import { firstOf } from '../../core/first-of.ts'

/** A tag of a page that link previews or checks may read. */
export interface PageTag {
  /** `json-ld` for a property of a JSON-LD block. */
  element: 'title' | 'meta' | 'link' | 'json-ld'
  /** In lower case: `og:title`, `canonical`; `title` for the title element; `charset` for an encoding; `oembed`. */
  name: string
  /** Decoded, with collapsed white space, and truncated; may be ''. URLs are as written, not resolved. */
  value: string
  /** Whether the value was truncated. A truncated URL cannot be used. */
  isTruncated?: true
  /** The number of characters before the value was truncated. */
  length?: number
  /** Whether the name has capitals, or is a `property` beside a `name`. Discord does not read such tags. */
  isLoose?: true
  /** The position in the page, in bytes. Some crawlers read only the start of a page. */
  offset: number
}

/** The tags of a page in document order, including tags that apps do not use. */
export interface PageTags {
  /** The URL that the tags' relative URLs are resolved against. */
  baseUrl: string
  tags: readonly PageTag[]
  /** Whether there were more tags than are kept. */
  isTruncated: boolean
}

/** The tags of a result, as crawlers see them and after the page's scripts ran. */
export interface ResultTags {
  plain: PageTags
  /** Absent when the result comes from the plain page. */
  rendered?: PageTags
}

/**
 * Why a result has no tags: it is of a `file` that is not a page, or they are `unknown`, because they were too large to
 * be stored, or were stored by another version. Nothing may be concluded from tags that are unknown.
 */
export type NoTags = 'file' | 'unknown'

export function resultTags(details: Pick<ResultDetails, 'tags'> | null): ResultTags | NoTags {
  const { plain } = (details?.tags ?? {}) as { plain?: PageTags | null }
  if (Array.isArray(plain?.tags)) return details?.tags as ResultTags
  return plain === null ? 'file' : 'unknown'
}

/** The first non-blank value of the first of `names` that has one. */
export function firstTag(tags: readonly PageTag[], names: readonly string[]): PageTag | undefined {
  return firstOf(names, (name) => tags.find((tag) => keyOf(tag) === name && tag.value !== ''))
}

/** All tags with a name, in document order. */
export function tagsNamed(tags: readonly PageTag[], name: string): PageTag[] {
  return tags.filter((tag) => keyOf(tag) === name && tag.value !== '')
}

/** The name of a tag in rules and in the dashboard: `og:title`, `<title>`, `link canonical`, `json-ld headline`. */
export function keyOf({ element, name }: PageTag): string {
  if (element === 'title') return '<title>'
  return element === 'meta' ? name : `${element} ${name}`
}
