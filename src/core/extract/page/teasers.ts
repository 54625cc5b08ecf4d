import { firstOf } from '../../first-of.ts'
import type { Headline, Mark, MarkedElement, Place } from '../reading/marked-elements.ts'

/* Teasers are the blocks of a list of articles. Their authors and dates are not those of the page. */

/** The number of teasers that make a list. */
const MIN_TEASERS = 3

/** The maximum ratio of the sizes of two teasers. An article is much longer than the teasers that follow it. */
const MAX_SIZE_RATIO = 2

/** The minimum size of a teaser, in bytes. There is less markup between the names of the authors of one article. */
const MIN_TEASER_BYTES = 100

/** The maximum number of elements of a mark to read. */
const MAX_READ = 6

const DATE_MARKS: readonly Mark[] = ['time', 'date class', 'published class']
const NAME_MARKS: readonly Mark[] = ['author class', 'author path', 'author link']

/** The marks of the authors and dates of teasers. */
export const TEASER_MARKS = [...DATE_MARKS, ...NAME_MARKS]

/** The first elements with different values: the values of elements within each other are the same. */
interface Run {
  element: MarkedElement
  value: string
}

/** The elements of a mark after the headline, and their values, which are days as `2026-11-28`, or names. */
export interface TeaserSource {
  elements(mark: Mark): readonly MarkedElement[]
  /** The headline, or the start of the page. */
  headline: Omit<Headline, 'above'>
  day(element: MarkedElement): string | undefined
  name(element: MarkedElement): string | undefined
}

/**
 * Where the first teaser of a list begins; Infinity without a list. Teasers are of similar size, and have links and equally
 * many headings, at least one if they have only names. Dates that ascend are those of the posts of a thread.
 */
export function teasersStart({ elements, headline, day, name }: TeaserSource): number {
  const apart = (mark: Mark) => elementsApart(elements(mark), headline)
  const dates = DATE_MARKS.map((mark) => runsOf(apart(mark), day))
  if (dates.some(isAscending)) return Infinity
  const byName = () => firstOf(NAME_MARKS, (mark) => startOf(runsOf(apart(mark), name, 1)))
  const start = firstOf(dates, startOf) ?? byName() ?? Infinity
  return Math.max(start, headline.link)
}

/** The elements with a link to another page before each of them. Without one, an element belongs to the headline. */
function elementsApart(elements: readonly MarkedElement[], headline: Place): MarkedElement[] {
  const apart: MarkedElement[] = []
  for (const element of elements) {
    const last = apart.at(-1)
    const isFar = last === undefined || element.start - last.start >= MIN_TEASER_BYTES
    if (isFar && element.links > (last ?? headline).links) apart.push(element)
  }
  return apart
}

/** @param minHeadings between two elements */
function runsOf(
  elements: readonly MarkedElement[],
  valueOf: (element: MarkedElement) => string | undefined,
  minHeadings = 0,
): Run[] {
  const runs: Run[] = []
  const [first] = elements
  if (first === undefined || elements.length < MIN_TEASERS) return runs
  // Known before any element is read.
  if (elements.at(-1)!.headings - first.headings < minHeadings * (MIN_TEASERS - 1)) return runs
  for (const element of elements.slice(0, MAX_READ)) {
    const value = element.tag === first.tag ? valueOf(element) : undefined
    if (value !== undefined && value !== runs.at(-1)?.value) runs.push({ element, value })
    if (runs.length === MIN_TEASERS) break
  }
  const [one, two] = runs
  return minHeadings > 0 && two !== undefined && two.element.headings - one!.element.headings < minHeadings ? [] : runs
}

function isAscending(runs: readonly Run[]): boolean {
  return runs.length === MIN_TEASERS && runs.every(({ value }, i) => i === 0 || runs[i - 1]!.value < value)
}

function startOf(runs: readonly Run[]): number | undefined {
  if (runs.length < MIN_TEASERS) return undefined
  const [first, second, third] = runs.map(({ element }) => element) as [MarkedElement, MarkedElement, MarkedElement]
  const sizes = [second.start - first.start, third.start - second.start] as const
  const isEven = Math.max(...sizes) <= MAX_SIZE_RATIO * Math.min(...sizes)
  if (!isEven || third.headings - second.headings !== second.headings - first.headings) return undefined
  // The first teaser begins up to the size of one before its first value.
  return first.start - sizes[0]
}
