import type { Metadata } from '../extract/fields/metadata.ts'
import type { BodyStats } from '../extract/reading/body-stats.ts'
import { pageWallOf } from './interstitial.ts'
import { isNoScriptTitle } from '../extract/sources/no-script-title.ts'
import type { Page } from '../extract/page/page.ts'
import { isTemporary } from '../extract/reading/placeholder.ts'
import { collapseWhitespace } from '../extract/reading/text.ts'

/** The properties of a page by which the choice between plain GET and browser is made. */
export type PageEvidence = ReturnType<typeof evidenceOf>

export function evidenceOf(page: Page, metadata: Metadata, body: BodyStats, isBodyRead: boolean) {
  const { harvest, reader } = page
  const { texts: _texts, noscriptTexts, ...measured } = body
  const titles = harvest.titles.slice(0, 1).map((range) => collapseWhitespace(reader.text(range)))
  const openGraphTitles = (harvest.metas.get('og:title') ?? []).slice(0, 1).map((range) => reader.attribute(range))
  return {
    /** Whether there is a non-blank og: tag. */
    hasOpenGraph: harvest.hasOpenGraph,
    /** Whether any source has an acceptable title. */
    hasTitle: metadata.title !== undefined,
    hasDescription: metadata.description !== undefined,
    /** Whether the title is text that a script should replace. The title is og:title, or else the title element. */
    hasTemplateTitle: isTemporary([...openGraphTitles, ...titles].find((title) => title.trim() !== '') ?? ''),
    /** Whether the title says that the page needs JavaScript. */
    hasNoScriptTitle: [...titles, ...openGraphTitles].some(isNoScriptTitle),
    /** False when the head has an og:title. The statistics and `asksForScripts` then do not cover the body. */
    isBodyRead,
    ...measured,
    /** Whether a noscript element asks for JavaScript. */
    asksForScripts: noscriptTexts.some((range) => /java\s?script/i.test(reader.text(range))),
    /** Set if this page is an interstitial instead of the requested page. */
    interstitial: pageWallOf(page, titles[0] ?? '', metadata.description ?? '', body),
  }
}
