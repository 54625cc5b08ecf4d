import { type PageTag, tagsNamed } from './page-tags.ts'

/**
 * The rules for Google in robots meta tags and in the value of `X-Robots-Tag`, such as `noindex` and `max-snippet:50`. The
 * rules of several tags add up: https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
 */
export function robotsRulesOf(tags: readonly PageTag[], header = ''): string[] {
  const values = [...tagsNamed(tags, 'robots'), ...tagsNamed(tags, 'googlebot')].map(({ value }) => value)
  return [...values, header.replaceAll(/googlebot\s*:/gi, '')].flatMap((value) =>
    // `max-snippet : 50` is one rule.
    value
      .toLowerCase()
      .split(':')
      .map((part) => part.trim())
      .join(':')
      .split(/[\s,]+/),
  )
}

/** Whether the rules exclude a page from search results. */
export const excludesPage = (rules: readonly string[]): boolean => rules.includes('noindex') || rules.includes('none')
