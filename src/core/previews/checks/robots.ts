import { PLATFORMS } from '../platforms.ts'
import type { RobotsFacts } from '../robots.ts'
import type { Check, CheckFacts } from './check.ts'

/** Checks for crawlers that the robots.txt of the page or of its images excludes. */
export function robotsFileChecks({ url, robots }: CheckFacts): Check[] {
  return [...unreadable(robots), ...robots.flatMap((facts) => disallowed(facts, url))]
}

/** One finding per robots.txt, which may apply to both the page and its images. */
function unreadable(robots: readonly RobotsFacts[]): Check[] {
  const problems = new Map(robots.flatMap(({ file, problem }) => (problem === '' ? [] : [[file, problem] as const])))
  return [...problems].map(([file, problem]): Check => {
    const reason = `${file}: ${problem}. Crawlers that obey it may not request anything until they can read it.`
    const fix = 'Return it with status 200, or status 404 if there is none.'
    return { severity: 'warning', subject: 'robots.txt', reason, fix }
  })
}

function disallowed({ url, file, disallowed: ids }: RobotsFacts, pageUrl: string): Check[] {
  const platforms = PLATFORMS.filter(({ id }) => ids.includes(id))
  const apps = platforms.filter(({ id }) => id !== 'google')
  const isPage = url === pageUrl
  const checks: Check[] = []
  if (apps.length > 0) {
    const names = apps.map(({ name }) => name).join(', ')
    const what = isPage ? 'the page, so they show no card' : `${url}, so they show no image`
    const reason = `${file} keeps the crawlers of ${names} from ${what}.`
    checks.push({ severity: 'error', subject: 'robots.txt', reason, fix: allowing(apps, url) })
  }
  if (isPage && platforms.length > apps.length) {
    const reason = `${file} keeps Google from the page, so it is not listed, or without a description.`
    const fix = allowing(platforms.slice(apps.length), url)
    checks.push({ severity: 'warning', subject: 'robots.txt', reason, fix })
  }
  return checks
}

function allowing(platforms: readonly { crawler: string | null }[], url: string): string {
  const crawlers = platforms.map(({ crawler }) => crawler).join(', ')
  return `Add "Allow: ${new URL(url).pathname}" for ${crawlers}.`
}
