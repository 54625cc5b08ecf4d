import { visibleName } from '../author/visible-name.ts'
import { dayIn } from '../date/calendar-day.ts'
import type { JsonLd } from '../json-ld/json-ld.ts'
import { type Fragment, MAX_BYTES_AFTER_HEADLINE, NO_TEXTS, type TextsAfter } from '../reading/fragment.ts'
import type { Headline, Mark, MarkedElement } from '../reading/marked-elements.ts'
import { MAX_LINE_LENGTH, normalizeText } from '../reading/normalize.ts'
import { lettersOf } from '../sources/site-name.ts'
import type { MarkedFragment, SourceBody, SourcePage } from '../sources/sources.ts'
import type { Harvest } from './harvest.ts'
import type { PageReaders } from './page-readers.ts'
import { TEASER_MARKS, teasersStart } from './teasers.ts'

/**
 * The maximum distance of a byline or date before the headline, in bytes. Mastheads and menus are before the headline too.
 */
const MAX_BYTES_BEFORE_HEADLINE = 3_000

const normalizeLine = normalizeText(MAX_LINE_LENGTH)

/** What the rest of the page says that matters for its body. */
type Context = Pick<SourcePage, 'locale' | 'now' | 'title' | 'meta'> & {
  readonly jsonLd: Pick<JsonLd, 'isList' | 'isProduct'>
}

/** The headline of a page, and the marked elements and texts around it. */
export class PageBody implements SourceBody {
  #headline: Headline | undefined
  #teasersStart: number | null = null

  constructor(
    private readonly harvest: Harvest,
    private readonly readers: PageReaders,
    private readonly context: Context,
  ) {}

  *marked(mark: Mark, max: number): Iterable<MarkedFragment> {
    const elements = this.harvest.marked.get(mark)
    // The names and dates of a product's page are mostly those of reviews.
    if (elements.length === 0 || this.context.jsonLd.isProduct) return
    const headline = this.#headlineStart
    const after = this.#afterHeadline(mark).filter((element) => this.#isOwn(element))
    const before = this.context.jsonLd.isList
      ? []
      : elements.filter(({ start }) => start < headline && start > headline - MAX_BYTES_BEFORE_HEADLINE)
    for (const element of [...after, ...before].slice(0, max)) {
      const { start } = element
      const distance = headline < 0 || start < headline ? Infinity : start - headline
      yield { start, distance, time: this.#timeOf(element), fragment: this.#fragmentAt(start) }
    }
  }

  get aboveHeadline(): Fragment | null {
    const above = this.#headlineOfPage?.above ?? null
    return above === null || this.context.jsonLd.isList ? null : this.#fragmentAt(above)
  }

  get afterHeadline(): TextsAfter {
    const headline = this.#headlineOfPage
    // The text of a page that declares a list has only authors and dates of teasers.
    if (headline === undefined || this.context.jsonLd.isList) return NO_TEXTS
    const isNear = ({ start }: MarkedElement) => start < headline.start + MAX_BYTES_AFTER_HEADLINE
    const isAmongTeasers = TEASER_MARKS.some((mark) =>
      this.#afterHeadline(mark).some((one) => isNear(one) && !this.#isOwn(one)),
    )
    const end = isAmongTeasers ? Math.min(this.harvest.end, this.#teasers) : this.harvest.end
    return this.readers.fragments.textsAfter(headline.start, end)
  }

  get times(): string[] {
    if (this.context.jsonLd.isProduct) return []
    const elements = this.harvest.marked.get('time').filter((element) => this.#isOwn(element))
    return elements.map((element) => this.#timeOf(element) ?? '')
  }

  /** Whether an element is in no teaser. Without a link between the headline and the element, that is known at once. */
  #isOwn({ start, links }: MarkedElement): boolean {
    if (this.context.jsonLd.isList) return false
    return links === this.#headlineOfPage?.links || start < this.#teasers
  }

  /** The first h1 whose text is most of the title, or else the first h1. Some themes have the site's name in an h1 too. */
  get #headlineOfPage(): Headline | undefined {
    const { headlines } = this.harvest.marked
    return (this.#headline ??= headlines.length < 2 ? headlines[0] : (this.#titleAmong(headlines) ?? headlines[0]))
  }

  get #headlineStart(): number {
    return this.#headlineOfPage?.start ?? -1
  }

  #titleAmong(headlines: readonly Headline[]): Headline | undefined {
    const { context } = this
    const titles = [context.title(normalizeLine), context.meta('og:title', normalizeLine)].map((title) =>
      lettersOf(title ?? ''),
    )
    return headlines.find(({ start }) => {
      const text = lettersOf(this.readers.fragments.headlineAt(start, this.harvest.end))
      return titles.some((title) => title.includes(text) && text.length > title.length / 2)
    })
  }

  /** Where the teasers of a list begin; Infinity without a list. */
  get #teasers(): number {
    const { locale: language, now } = this.context
    // Read apart from the elements of sources, whose number is limited.
    const fragmentAt = ({ start }: MarkedElement) => this.readers.teasers.elementAt(start, this.harvest.end)
    const textOf = (element: MarkedElement) => fragmentAt(element)?.texts.join(' ') ?? ''
    return (this.#teasersStart ??= teasersStart({
      elements: (mark) => this.#afterHeadline(mark),
      headline: this.#headlineOfPage ?? { start: -1, headings: -1, links: -1, link: 0 },
      name: (element) => visibleName(textOf(element), normalizeLine),
      day: (element) => dayIn(this.#timeOf(element) ?? fragmentAt(element)?.time ?? textOf(element), { language, now }),
    }))
  }

  #afterHeadline(mark: Mark): readonly MarkedElement[] {
    return this.harvest.marked.get(mark).filter(({ start }) => start > this.#headlineStart)
  }

  #timeOf({ time }: MarkedElement): string | null {
    return time && this.readers.text.attribute(time)
  }

  #fragmentAt(start: number): Fragment | null {
    return this.readers.fragments.elementAt(start, this.harvest.end)
  }
}
