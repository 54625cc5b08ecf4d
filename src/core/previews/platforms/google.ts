import { truncate } from '../../extract/reading/text.ts'
import { keyOf, type PageTag, tagsNamed } from '../../extract/page/page-tags.ts'
import { app, type Platform } from '../platform.ts'

export const GOOGLE: Platform = {
  ...app('google', 'Google', 'G'),
  title: ['<title>', 'og:title'],
  description: ['description'],
  image: [],
  siteName: ['json-ld site name', 'og:site_name'],
  lines: ['source', 'title', 'description'],
  // Google truncates both to the width of the device, not to a number of characters.
  maxLines: { title: 2, description: 3 },
  icon: 'beside source',
  crawler: 'Googlebot',
  runsScripts: true,
  tagsOf(tags) {
    const max = maxSnippet(tags)
    if (max === null) return tags
    const others = tags.filter((tag) => keyOf(tag) !== 'description')
    const [description] = max === 0 ? [] : tagsNamed(tags, 'description')
    return description ? [...others, { ...description, value: truncate(description.value, max) }] : others
  },
  place: () => ({ layout: 'search', crop: 'whole' }),
}

/** The number of characters of the snippet that the page allows, 0 for none; null without a limit. */
function maxSnippet(tags: readonly PageTag[]): number | null {
  const robots = [...tagsNamed(tags, 'robots'), ...tagsNamed(tags, 'googlebot')]
  const rules = robots.flatMap(({ value }) => value.toLowerCase().split(','))
  const limits = rules.flatMap((rule) => {
    if (rule.trim() === 'nosnippet') return [0]
    const [, max] = /^\s*max-snippet\s*:\s*(\d+)\s*$/.exec(rule) ?? []
    return max === undefined ? [] : [Number(max)]
  })
  return limits.length === 0 ? null : Math.min(...limits)
}
