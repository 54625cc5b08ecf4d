import { rulesAllow, matcherOf, parseRobotsTxt, type RobotsTxt, rulesFor } from './robots-txt.ts'
import { PLATFORMS } from '../platforms/platforms.ts'

/** Whether the robots.txt of a page or an image excludes the crawlers of apps. */
export interface RobotsFacts {
  /** The URL of the page or the image. */
  url: string
  /** The URL of the robots.txt. */
  file: string
  /** Why the file could not be read: `HTTP 503`; '' if it was read or does not exist. */
  problem: string
  /** The apps whose crawlers may not request the URL. */
  disallowed: string[]
}

/** The rules of a robots.txt, which are empty if there is no such file; or why the file could not be read. */
export type RobotsFile = RobotsTxt | { problem: string }

/** The crawlers that obey robots.txt. */
const CRAWLERS = PLATFORMS.flatMap(({ id, crawler }) => (crawler === null ? [] : [{ id, crawler }]))
const CRAWLER_NAMES = CRAWLERS.map(({ crawler }) => crawler)

export function robotsUrlOf(url: URL): URL {
  return new URL('/robots.txt', url)
}

/** Drops rules for the crawlers of other services. */
export function robotsTxtOf(text: string): RobotsTxt {
  return parseRobotsTxt(text, CRAWLER_NAMES)
}

export function robotsFactsOf(url: URL, robots: RobotsFile): RobotsFacts {
  const file = robotsUrlOf(url).href
  if ('problem' in robots) return { url: url.href, file, problem: robots.problem, disallowed: [] }
  // Most crawlers share the rules for `*`, which are compared once.
  const matches = matcherOf(url)
  const decisions = new Map([...robots.values()].map((rules) => [rules, rulesAllow(rules, matches)]))
  const excluded = CRAWLERS.filter(({ crawler }) => decisions.get(rulesFor(robots, crawler)) === false)
  return { url: url.href, file, problem: '', disallowed: excluded.map(({ id }) => id) }
}

/** False if the robots.txt is unknown. */
export function isDisallowed(robots: readonly RobotsFacts[], url: string, id: string): boolean {
  return robots.some((facts) => facts.url === url && facts.disallowed.includes(id))
}
