import { LIMIT_REACHED } from '../../fetch/image-facts.ts'
import { PLATFORMS } from '../platforms.ts'
import type { RobotsFacts } from '../robots.ts'
import { type CheckFacts, error, type TagCheck, warning } from './check.ts'

/** Checks for crawlers that the robots.txt of the page or of its images excludes. */
export function robotsFileChecks({ requestedUrl, url, robots, images }: CheckFacts): TagCheck[] {
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
    yield error('robots.txt', reason, allowing(apps, url))
  }
  if (isPage && platforms.length > apps.length) {
    const reason = `${file} disallows Google, so the page is not listed, or is listed without a description.`
    yield warning('robots.txt', reason, allowing(platforms.slice(apps.length), url))
  }
}

function allowing(platforms: readonly { crawler: string | null }[], url: string): string {
  const crawlers = platforms.map(({ crawler }) => crawler).join(', ')
  return `Add "Allow: ${new URL(url).pathname}" for ${crawlers}.`
}
