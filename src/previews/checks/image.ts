import texts from '../../core/error-texts.json'
import { bytesText } from '../../core/byte-count.ts'
import { type ImageFacts, type ImageSize, LIMIT_REACHED, sizeText } from '../../core/fetch/image-facts.ts'
import { firstTag, keyOf, type PageTag, type PageTags } from '../tags/page-tags.ts'
import { tagUrlOf, limitProblem } from '../rules/card-content.ts'
import { KB, OPEN_GRAPH_OR_HTML } from '../platforms/platform.ts'
import { PLATFORMS } from '../platforms/platforms.ts'
import { type CheckFacts, error, idsOf, notice, passed, shortened, type TagCheck, valueOf, warning } from './check.ts'

/** Recommended by Facebook for displays with a high resolution. */
const GOOD = { width: 1_200, height: 630 }

/** Smaller images get a small card on Facebook. */
const LARGE_CARD = { width: 600, height: 315 }

/** Cards show about 1.91:1; images between 1.7:1 (16:9 is 1.78:1) and 2.1:1 lose little. */
const MIN_RATIO = 1.7
const MAX_RATIO = 2.1

/** "Under 600KB in size", says WhatsApp's documentation. */
const WHATSAPP_BYTES = 600 * KB

/** Checks for images that are missing, unavailable, too small, too large or declared with a wrong size. */
export function imageChecks({ tags: { plain }, images }: CheckFacts): TagCheck[] {
  const tag = firstTag(plain.tags, OPEN_GRAPH_OR_HTML.image)
  const twitterTag = firstTag(plain.tags, ['twitter:image', 'twitter:image:src'])
  const twitterChecks = twitterTag === undefined ? [] : requestChecks(twitterTag, plain, images)
  if (tag === undefined) {
    const reason =
      twitterTag === undefined
        ? 'Cards have no image.'
        : 'Facebook, LinkedIn, WhatsApp, Bluesky and Mastodon do not read twitter:image.'
    const fix = `Add og:image with an image of ${sizeText(GOOD)}.`
    return [warning('og:image', reason, fix), ...twitterChecks]
  }
  const facts = factsOf(tag, plain, images)
  const checks = [...requestChecks(tag, plain, images), ...declarationChecks(plain.tags, facts?.size), ...twitterChecks]
  if (checks.length > 0 || facts === undefined) return checks
  const weight = facts.bytes === null ? '' : `, ${bytesText(facts.bytes)}`
  return [passed(keyOf(tag), `${facts.size?.width} × ${facts.size?.height}${weight}, ${facts.mimeType}`)]
}

function factsOf(tag: PageTag, { baseUrl }: PageTags, images: readonly ImageFacts[]): ImageFacts | undefined {
  const url = tagUrlOf(tag, baseUrl)
  return images.find((image) => image.url === url)
}

/** Checks the URL of an image and the response. */
function* requestChecks(tag: PageTag, page: PageTags, images: readonly ImageFacts[]): Iterable<TagCheck> {
  const subject = keyOf(tag)
  const facts = factsOf(tag, page, images)
  if (facts?.problem === LIMIT_REACHED) {
    const reason = 'It was not checked, because you requested too many images in a short time.'
    yield notice(subject, reason, 'Fetch the page again in a minute.')
  } else if (facts?.problem) {
    yield error(subject, `${facts.problem}.`, fixOf(facts.problem))
  }
  yield* urlChecks(subject, tag, page)
  if (facts?.problem === '') yield* [...sizeChecks(subject, facts), ...limitChecks(subject, facts)]
}

function* urlChecks(subject: string, tag: PageTag, { baseUrl }: PageTags): Iterable<TagCheck> {
  if (tag.isTruncated) {
    const reason = `Its URL is longer than ${tag.value.length} characters, so it was not requested.`
    yield warning(subject, reason, 'Use a shorter URL. Some apps ignore long ones.')
  } else if (tagUrlOf(tag, baseUrl) === null) {
    const reason = `"${shortened(tag.value)}" is not an http(s) address, so no app loads it.`
    yield error(subject, reason, 'Write the whole URL of an image file, with https://.')
  } else if (!/^https?:\/\//i.test(tag.value)) {
    const reason = `"${shortened(tag.value)}" is not absolute, and some crawlers do not resolve it.`
    yield warning(subject, reason, 'Write the whole URL, with https://.')
  } else if (/^http:/i.test(tag.value)) {
    const reason = 'It is loaded over http, and apps that show pages over https may block it.'
    yield warning(subject, reason, 'Serve it over https.')
  }
}

function fixOf(problem: string): string {
  if (/\bover\b/.test(problem)) return `Use a PNG or JPEG of ${sizeText(GOOD)}, up to ${bytesText(WHATSAPP_BYTES)}.`
  if (problem === texts.fetchFailures.address_not_allowed) return 'Use a public address.'
  if (/image|empty/.test(problem)) return 'Make the URL return a PNG or JPEG.'
  return 'Make the URL return an image with status 200 to every client.'
}

function* sizeChecks(subject: string, { size, bytes }: ImageFacts): Iterable<TagCheck> {
  const good = `Use ${sizeText(GOOD)}.`
  if (size === null) {
    yield notice(subject, 'Its width and height could not be read.', 'Use a PNG or JPEG.')
  } else if (size.width < LARGE_CARD.width || size.height < LARGE_CARD.height) {
    const reason = `${sizeText(size)}. Facebook shows a small card below ${sizeText(LARGE_CARD)}.`
    yield warning(subject, reason, good, ['facebook'])
  } else if (size.width < GOOD.width || size.height < GOOD.height) {
    const reason = `${sizeText(size)}. Below ${sizeText(GOOD)} it looks blurred on high-resolution displays.`
    yield notice(subject, reason, good)
  }
  if (size !== null) {
    const ratio = size.width / size.height
    if (ratio < MIN_RATIO || ratio > MAX_RATIO) {
      const reason = `Its aspect ratio is ${ratio.toFixed(2)}:1. Many apps crop it to 1.91:1.`
      yield notice(subject, reason, 'Keep the important part in the middle, or use 1.91:1.')
    }
  }
  if (bytes !== null && bytes > WHATSAPP_BYTES) {
    const reason = `${bytesText(bytes)}. WhatsApp may show a small card over ${bytesText(WHATSAPP_BYTES)}.`
    yield warning(subject, reason, 'Compress it, for example as a JPEG.', ['whatsapp'])
  }
}

/** Errors for apps that reject the image for its file size, dimensions or type. `sizeChecks` reports small images. */
function limitChecks(subject: string, facts: ImageFacts): TagCheck[] {
  const readers = PLATFORMS.filter(({ image }) => image.includes(subject))
  const byProblem = Map.groupBy(readers, ({ imageLimits }) => limitProblem(facts, imageLimits))
  byProblem.delete('')
  return Array.from(byProblem, ([problem, platforms]): TagCheck => {
    const names = platforms.map(({ name }) => name).join(', ')
    const fix = `Use a PNG or JPEG of ${sizeText(GOOD)}.`
    return error(subject, `Not shown by ${names}: ${problem}.`, fix, idsOf(platforms))
  })
}

/** Checks `og:image:width`, `og:image:height` and `og:image:alt`. */
function* declarationChecks(tags: readonly PageTag[], size: ImageSize | null = null): Iterable<TagCheck> {
  const width = valueOf(tags, 'og:image:width')
  const height = valueOf(tags, 'og:image:height')
  if (width === '' || height === '') {
    const reason = 'Facebook shows no image to the first person who shares the link.'
    yield notice('og:image:width', reason, 'Add og:image:width and og:image:height.', ['facebook'])
  } else if (size !== null && (Number(width) !== size.width || Number(height) !== size.height)) {
    const reason = `Declared as ${shortened(width)} × ${shortened(height)}, but it is ${sizeText(size)}.`
    yield warning('og:image:width', reason, 'Declare the actual size.')
  }
  if (valueOf(tags, 'og:image:alt', 'twitter:image:alt') === '') {
    const reason = 'People who cannot see the image get no description of it.'
    yield notice('og:image:alt', reason, 'Add og:image:alt.')
  }
}
