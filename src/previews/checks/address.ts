import { tagsNamed } from '../tags/page-tags.ts'
import { parseWebUrl } from '../../core/web-url.ts'
import { type CheckFacts, error, notice, passed, shortened, type TagCheck, valueOf, warning } from './check.ts'

/** Checks `og:url` and the canonical link, which declare the URL of the page. */
export function addressChecks({ tags: { plain }, url }: CheckFacts): TagCheck[] {
  const { tags, baseUrl } = plain
  const links = tagsNamed(tags, 'link canonical')
  const canonicals = new Set(links.map(({ value }) => parseWebUrl(value, baseUrl)?.href ?? value))
  const canonical = parseWebUrl(valueOf(tags, 'link canonical'), baseUrl)
  const openGraph = parseWebUrl(valueOf(tags, 'og:url'), baseUrl)
  const checks: TagCheck[] = []
  if (canonicals.size > 1) {
    const reason = `The page has ${canonicals.size} different canonical links, so search engines may ignore them.`
    checks.push(error('canonical', reason, 'Keep one canonical link.'))
  }
  if (canonical === null) {
    const reason = 'Search engines may list the page under several URLs.'
    const missing = notice('canonical', reason, 'Add <link rel="canonical">.', ['google'])
    checks.push(invalidOr(missing, valueOf(tags, 'link canonical')))
  }
  if (openGraph === null) {
    const reason = 'Open Graph requires it, and WhatsApp may show no card without it.'
    const missing = notice('og:url', reason, 'Add og:url with the canonical URL.')
    checks.push(invalidOr(missing, valueOf(tags, 'og:url')))
  }
  if (canonical !== null && openGraph !== null && canonical.href !== openGraph.href) {
    const reason = `It is ${openGraph.href}, but the canonical link is ${canonical.href}.`
    checks.push(warning('og:url', reason, 'Use the same URL for both.'))
  }
  const named = canonical ?? openGraph
  if (named !== null && named.host !== URL.parse(url)?.host) {
    const reason = `Its host is ${named.host}. Facebook shows the card of that URL instead.`
    const subject = canonical === null ? 'og:url' : 'canonical'
    checks.push(warning(subject, reason, 'Use the URL of this page, unless the page is a copy.'))
  }
  return checks.length > 0 ? checks : [passed('URL', 'og:url and the canonical link are the same.')]
}

/** `missing` if the text is '', or else an error about an invalid URL. */
function invalidOr(missing: TagCheck, text: string): TagCheck {
  const reason = `"${shortened(text)}" is not an http(s) URL.`
  return text === '' ? missing : error(missing.subject, reason, 'Write the whole URL, with https://.')
}
