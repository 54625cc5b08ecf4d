import { firstOf } from '../../first-of.ts'
import type { Mark, MarkedElement } from '../reading/marked-elements.ts'

/* Teasers are the blocks of a list of articles. Their authors and dates are not those of the page. */

/** The number of teasers that make a list. */
const MIN_TEASERS = 3

/** The maximum ratio of the sizes of two teasers. An article is much longer than the teasers that follow it. */
const MAX_SIZE_RATIO = 2

/** The minimum size of a teaser, in bytes. There is less markup between the names of the authors of one article. */
const MIN_TEASER_BYTES = 100

const DATE_MARKS: readonly Mark[] = ['time', 'date class', 'published class']
const NAME_MARKS: readonly Mark[] = ['author class', 'author path', 'author link']

/** The first elements with different values: the values of elements within each other are the same. */
interface Run {
  element: MarkedElement
  value: string
}

/** The elements of a mark after the headline, and their values, which are days as `2026-11-28`, or names. */
export interface TeaserSource {
  elements(mark: Mark): readonly MarkedElement[]
  day(element: MarkedElement): string | undefined
  name(element: MarkedElement): string | undefined
}

/**
 * Where the first teaser of a list begins; Infinity without a list. Teasers are of similar size, and have equally many
 * headings, at least one if they have only names. Dates that ascend are those of the posts of a thread.
 */
export function teasersStart({ elements, day, name }: TeaserSource): number {
  const dates = DATE_MARKS.map((mark) => runsOf(elements(mark), day))
  if (dates.some(isAscending)) return Infinity
  const named = NAME_MARKS.filter((mark) => haveHeadings(elements(mark)))
  const byName = () => firstOf(named, (mark) => startOf(runsOf(elements(mark), name), 1))
  return firstOf(dates, (runs) => startOf(runs)) ?? byName() ?? Infinity
}

/** Whether there are enough headings between elements, which is known before the elements are read. */
const haveHeadings = (elements: readonly MarkedElement[]) =>
  (elements.at(-1)?.headings ?? 0) - (elements[0]?.headings ?? 0) >= MIN_TEASERS - 1

function runsOf(elements: readonly MarkedElement[], valueOf: (element: MarkedElement) => string | undefined): Run[] {
  const runs: Run[] = []
  const apart = elements.filter(({ start }, i) => i === 0 || start - elements[i - 1]!.start >= MIN_TEASER_BYTES)
  if (apart.length < MIN_TEASERS) return runs
  for (const element of apart) {
    const value = valueOf(element)
    if (value !== undefined && value !== runs.at(-1)?.value) runs.push({ element, value })
    if (runs.length === MIN_TEASERS) break
  }
  return runs
}

function isAscending(runs: readonly Run[]): boolean {
  return runs.length === MIN_TEASERS && runs.every(({ value }, i) => i === 0 || runs[i - 1]!.value < value)
}

function startOf(runs: readonly Run[], minHeadings = 0): number | undefined {
  if (runs.length < MIN_TEASERS) return undefined
  const [first, second, third] = runs.map(({ element }) => element) as [MarkedElement, MarkedElement, MarkedElement]
  const sizes = [second.start - first.start, third.start - second.start] as const
  const headings = second.headings - first.headings
  const isEven = Math.max(...sizes) <= MAX_SIZE_RATIO * Math.min(...sizes)
  const isAlike = isEven && third.headings - second.headings === headings
  if (!isAlike || Math.min(...sizes) < MIN_TEASER_BYTES || headings < minHeadings) return undefined
  // The first teaser begins up to the size of one before its first value.
  return Math.max(0, first.start - sizes[0])
}
