import { bytesText } from '../../core/byte-count.ts'
import { type WallKind, wallKindOf } from '../../core/walls/interstitial.ts'
import { firstTag, keyOf, type PageTags, tagsNamed } from '../tags/page-tags.ts'
import { PLATFORMS } from '../platforms/platforms.ts'
import { type CheckFacts, error, idsOf, isDeclared, notice, passed, type TagCheck, warning } from './check.ts'
import { excludesPage, robotsRulesOf } from '../tags/robots-rules.ts'
import { LIMIT_REACHED } from '../../core/fetch/image-facts.ts'
import type { RobotsFacts } from '../rules/robots.ts'

/** Browsers look for an encoding declaration in this many bytes. */
const CHARSET_BYTES = 1_024

/** Words in the paths of sign-in pages. */
const LOGIN_PATH = /(?:^|[/._-])(?:log[-_]?in|sign[-_]?in|sso|auth|authorize|oauth2?|accounts?)(?:[/._-]|$)/i

const WALLS: Record<WallKind, string> = {
  challenge: 'a bot challenge',
  consent: 'a consent page',
  login: 'a login page',
}

/** Tags that cards use. A check reports a tag if only scripts add it, or if it comes too late. */
const CARD_TAGS = ['og:title', 'og:description', 'og:image', 'twitter:card', 'twitter:title', 'twitter:image']

/** Checks how crawlers get the page: scripts, walls, redirects, encoding, robots, and the position of tags. */
export function deliveryChecks(facts: CheckFacts): TagCheck[] {
  const checks = [
    ...scripts(facts),
    ...walls(facts),
    ...redirects(facts),
    ...encoding(facts),
    ...robotsRules(facts),
    ...robotsFileChecks(facts),
    ...latePosition(facts),
  ]
  return checks.length > 0
    ? checks
    : [passed('Delivery', 'Crawlers get the page directly, without scripts, challenges, sign-in pages or redirects.')]
}

/** Checks for tags that only scripts add. */
function scripts({ tags: { plain, rendered } }: CheckFacts): TagCheck[] {
  if (rendered === undefined) return []
  const has = ({ tags }: PageTags, name: string) => tagsNamed(tags, name).length > 0
  const added = [...CARD_TAGS, '<title>', 'description'].filter((name) => has(rendered, name) && !has(plain, name))
  if (added.length === 0) return []
  const reason = `Scripts add ${added.join(', ')}. Of the crawlers of these apps, only Google's runs scripts.`
  return [error('Scripts', reason, 'Put the tags into the HTML that the server sends.')]
}

function* walls({ interstitial, hops, requestedUrl, url }: CheckFacts): Iterable<TagCheck> {
  const status = hops.at(-1)?.status ?? null
  if (interstitial !== null) {
    const fix = 'Allow the crawlers of the apps, by user agent and IP address.'
    yield error('Access', `Crawlers get ${WALLS[wallKindOf(interstitial)]} instead of the page.`, fix)
  }
  if (status !== null && status >= 400) {
    yield error('Status', `The response is HTTP ${status}.`, 'Return 200 to clients without a session.')
  }
  const [requested, reached] = [URL.parse(requestedUrl), URL.parse(url)]
  if (requested && reached && !LOGIN_PATH.test(requested.pathname) && LOGIN_PATH.test(reached.pathname)) {
    const reason = `The link leads to ${reached.pathname}, which looks like a sign-in page.`
    yield error('Sign-in', reason, 'Send a page with the tags to visitors who are not signed in.')
  }
}

function* redirects({ hops, redirects: count, url }: CheckFacts): Iterable<TagCheck> {
  const limits = PLATFORMS.filter(({ maxRedirects }) => maxRedirects !== null && count > maxRedirects)
  if (limits.length > 0) {
    const reason = `${count} redirects. ${limits.map(({ name, maxRedirects }) => `${name} follows ${maxRedirects}.`).join(' ')}`
    yield error('Redirects', reason, 'Redirect directly to the final URL.')
  } else if (count > 0) {
    const reason = `${count} ${count === 1 ? 'redirect' : 'redirects'}. Each delays the card.`
    yield notice('Redirects', reason, 'Share the final URL.')
  }
  if (hops.some(({ by }) => by === 'refresh')) {
    const reason = 'The page redirects with a meta refresh or a script, which most crawlers do not follow.'
    yield warning('Refresh', reason, 'Redirect with status 301 or 302.')
  }
  if (hops.some(({ isDowngrade }) => isDowngrade)) {
    yield warning('https', 'A redirect leads from https to http.', 'Redirect to https.')
  } else if (url.startsWith('http:')) {
    yield warning('https', 'The page is not encrypted.', 'Serve the page over https.')
  }
}

function encoding({ charset, tags: { plain } }: CheckFacts): TagCheck[] {
  if (charset === null || isDeclared(charset)) return []
  const [declared] = tagsNamed(plain.tags, 'charset')
  const fix = 'Put <meta charset="utf-8"> first in the head, or declare the encoding in Content-Type.'
  const reason =
    declared !== undefined && declared.offset > CHARSET_BYTES
      ? `The encoding is declared ${bytesText(declared.offset)} into the page. Browsers look at the first ${CHARSET_BYTES} bytes.`
      : 'The encoding is not declared, so some apps may show wrong characters.'
  return [warning('charset', reason, fix)]
}

function robotsRules({ robotsHeader, tags: { plain } }: CheckFacts): TagCheck[] {
  const rules = robotsRulesOf(plain.tags, robotsHeader)
  if (excludesPage(rules)) {
    const reason = 'noindex: search engines do not list the page. Most apps still show cards.'
    return [warning('robots', reason, 'Remove noindex if the page should be found.', ['google'])]
  }
  if (rules.includes('nosnippet'))
    return [notice('robots', 'nosnippet: Google shows no description.', 'Remove nosnippet.', ['google'])]
  return []
}

/** Checks for tags after the part of the page that a crawler reads. */
function latePosition({ tags: { plain } }: CheckFacts): TagCheck[] {
  return PLATFORMS.flatMap(({ id, name, maxHtmlBytes }): TagCheck[] => {
    if (maxHtmlBytes === null) return []
    const first = CARD_TAGS.flatMap((tagName) => firstTag(plain.tags, [tagName]) ?? [])
    const late = first.filter(({ offset }) => offset > maxHtmlBytes)
    if (late.length === 0) return []
    const reason = `${late.map(keyOf).join(', ')}: after the first ${bytesText(maxHtmlBytes)}, which is all that ${name} reads.`
    return [error('Position', reason, 'Move the tags to the start of the head.', [id])]
  })
}

/** Checks for crawlers that the robots.txt of the page or of its images excludes. */
function robotsFileChecks({ requestedUrl, url, robots, images }: CheckFacts): TagCheck[] {
  // Images that could not be loaded are omitted, because they must be fixed first.
  const failed = new Set(images.flatMap((image) => (image.problem === '' ? [] : [image.url])))
  const relevant = robots.filter((facts) => !failed.has(facts.url))
  return [...unreadable(relevant), ...relevant.flatMap((facts) => [...disallowed(facts, [requestedUrl, url])])]
}

/** One finding per robots.txt, which may apply to both the page and its images. */
function unreadable(robots: readonly RobotsFacts[]): TagCheck[] {
  const failed = robots.filter(({ problem }) => problem !== '' && problem !== LIMIT_REACHED)
  const problems = new Map(failed.map(({ file, problem }) => [file, problem]))
  return [...problems].map(([file, problem]): TagCheck => {
    const reason = `${file}: ${problem}. Crawlers that obey it may not request anything until they can read it.`
    return warning('robots.txt', reason, 'Return it with status 200, or status 404 if there is none.')
  })
}

function* disallowed({ url, file, disallowed: ids }: RobotsFacts, pageUrls: readonly string[]): Iterable<TagCheck> {
  const platforms = PLATFORMS.filter(({ id }) => ids.includes(id))
  const apps = platforms.filter(({ id }) => id !== 'google')
  const isPage = pageUrls.includes(url)
  if (apps.length > 0) {
    const names = apps.map(({ name }) => name).join(', ')
    const [what, effect] = isPage ? ['the page', 'card'] : [url, 'image']
    const reason = `${file} disallows ${what} for the crawlers of ${names}, so they show no ${effect}.`
    yield error('robots.txt', reason, allowing(apps, url), idsOf(apps))
  }
  if (isPage && platforms.length > apps.length) {
    const reason = `${file} disallows Google, so the page is not listed, or is listed without a description.`
    yield warning('robots.txt', reason, allowing(platforms.slice(apps.length), url), ['google'])
  }
}

function allowing(platforms: readonly { crawler: string | null }[], url: string): string {
  const crawlers = platforms.map(({ crawler }) => crawler).join(', ')
  return `Add "Allow: ${new URL(url).pathname}" for ${crawlers}.`
}
