import { keyOf, type PageTag, tagsNamed } from '../tags/page-tags.ts'
import { usedTag } from '../rules/card-content.ts'
import { lengthOf, type Platform } from '../platforms/platform.ts'
import { PLATFORMS } from '../platforms/platforms.ts'
import type { CheckFacts, TagCheck } from './check.ts'
import { CARD_TYPES, error, idsOf, notice, passed, shortened, valueOf, warning } from './check.ts'

/** Google documents no limit; titles of more characters are usually wider than the 600 pixels of a result. */
const GOOGLE_TITLE = 60
const GOOGLE_DESCRIPTION = 160

/** "80 characters will suffice", says WhatsApp's documentation. */
const WHATSAPP_DESCRIPTION = 80

/** Tags that should occur once. Most apps use the first. */
const SINGLE = ['<title>', 'description', 'og:title', 'og:description', 'og:url', 'og:site_name', 'og:type']
const SINGLE_TWITTER = ['twitter:card', 'twitter:title', 'twitter:description', 'twitter:image']

// The ids of the apps that these tags concern.
const TWITTER_CARD_READERS = idsOf(PLATFORMS.filter(({ usesTwitterCard }) => usesTwitterCard))
const SITE_NAME_READERS = ['slack', 'discord', 'telegram']

/** Checks for missing, too long and conflicting texts. */
export function textChecks({ tags: { plain } }: CheckFacts): TagCheck[] {
  const { tags } = plain
  return [...titleChecks(tags), ...descriptionChecks(tags), ...conflicts(tags), ...twitterCard(tags), ...extras(tags)]
}

function titleChecks(tags: readonly PageTag[]): TagCheck[] {
  const html = valueOf(tags, '<title>')
  const openGraph = valueOf(tags, 'og:title')
  if (html === '' && openGraph === '') {
    return [error('Title', 'The page has no title, so most apps show no card.', 'Add <title> and og:title.')]
  }
  const checks: TagCheck[] = []
  if (html === '') {
    const reason = 'Google and browser tabs show <title>, which is missing.'
    checks.push(warning('<title>', reason, 'Add <title>.', ['google']))
  } else if (lengthOf(html) > GOOGLE_TITLE) {
    const reason = `${lengthOf(html)} characters. Google usually cuts titles after about ${GOOGLE_TITLE}.`
    checks.push(notice('<title>', reason, 'Put the important words first.', ['google']))
  }
  if (openGraph === '') {
    const reason = 'Apps use <title> instead, which often ends in the name of the site.'
    checks.push(warning('og:title', reason, 'Add og:title without the name of the site.'))
  }
  checks.push(...tooLong(tags, 'title'))
  return checks.length > 0 ? checks : [passed('Title', `${lengthOf(openGraph)} characters`)]
}

function descriptionChecks(tags: readonly PageTag[]): TagCheck[] {
  const html = valueOf(tags, 'description')
  const openGraph = valueOf(tags, 'og:description')
  if (html === '' && openGraph === '') {
    const reason = 'Cards have no text below the title, and Google generates a snippet.'
    return [warning('Description', reason, 'Add og:description and the meta description.')]
  }
  const checks: TagCheck[] = []
  if (html === '') {
    const reason = 'Google reads the meta description only.'
    checks.push(notice('description', reason, 'Add <meta name="description">.', ['google']))
  } else if (lengthOf(html) > GOOGLE_DESCRIPTION) {
    const reason = `${lengthOf(html)} characters. Google usually cuts snippets after about ${GOOGLE_DESCRIPTION}.`
    checks.push(notice('description', reason, 'Put the important words first.', ['google']))
  }
  if (openGraph === '') {
    const reason = 'Apps that read Open Graph only, such as X, show no description.'
    checks.push(notice('og:description', reason, 'Add og:description.'))
  } else if (lengthOf(openGraph) > WHATSAPP_DESCRIPTION) {
    const reason = `${lengthOf(openGraph)} characters. WhatsApp shows two lines, about ${WHATSAPP_DESCRIPTION} characters.`
    checks.push(notice('og:description', reason, 'Put the important words first.', ['whatsapp']))
  }
  checks.push(...tooLong(tags, 'description'))
  return checks.length > 0 ? checks : [passed('Description', `${lengthOf(openGraph)} characters`)]
}

/** Checks for texts over the limit of a platform. */
function tooLong(tags: readonly PageTag[], which: 'title' | 'description'): TagCheck[] {
  return PLATFORMS.flatMap((platform: Platform): TagCheck[] => {
    const limit = platform.limits[which]
    const tag = usedTag(platform, platform.tagsOf(tags), platform[which])
    if (limit === null || tag === undefined) return []
    const { unit } = platform.limits
    const length = lengthOf(tag.value, unit)
    if (length <= limit) return []
    const reason = `${tag.isTruncated ? 'More than ' : ''}${length} ${unit}. ${platform.name} cuts it after ${limit}.`
    return [warning(keyOf(tag), reason, 'Shorten it.', [platform.id])]
  })
}

function conflicts(tags: readonly PageTag[]): TagCheck[] {
  return [...SINGLE, ...SINGLE_TWITTER].flatMap((name): TagCheck[] => {
    const values = new Set(tagsNamed(tags, name).map(({ value }) => value))
    if (values.size < 2) return []
    const reason = `The page has ${values.size} different values. Most apps use the first one.`
    return [warning(name, reason, `Keep one ${name}.`)]
  })
}

function twitterCard(tags: readonly PageTag[]): TagCheck[] {
  const card = valueOf(tags, 'twitter:card').toLowerCase()
  if (card === '') {
    const reason = 'X shows a small card or none, and Discord and Telegram show a small image.'
    return [warning('twitter:card', reason, 'Add twitter:card with summary_large_image.', TWITTER_CARD_READERS)]
  }
  if (CARD_TYPES.includes(card)) return [passed('twitter:card', card)]
  const fix = `Use ${CARD_TYPES.join(', ')}.`
  return [error('twitter:card', `"${shortened(card)}" is not a card type.`, fix, TWITTER_CARD_READERS)]
}

function extras(tags: readonly PageTag[]): TagCheck[] {
  const missing = (subject: string, reason: string, apps?: string[]): TagCheck[] =>
    valueOf(tags, subject) === '' ? [notice(subject, reason, `Add ${subject}.`, apps)] : []
  return [
    ...missing('og:type', 'Open Graph requires it: website, or article for an article.'),
    ...missing('og:site_name', 'Slack, Discord and Telegram show it above the title.', SITE_NAME_READERS),
  ]
}
