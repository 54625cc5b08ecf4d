import { decodeHTML } from 'entities/decode'

import type { Metadata } from '../metadata.ts'
import type { BodyMeasure } from './body-gauge.ts'
import { type Interstitial, interstitialOf } from './interstitial.ts'
import type { Page } from './page.ts'
import { isPlaceholder } from './placeholder.ts'
import type { Range } from './range.ts'
import { collapsed } from './text.ts'

/** What the choice between a plain GET and a browser rests on. */
export interface PageEvidence {
  /** Some og: tag that is not blank. */
  hasOpenGraph: boolean
  /** A title that can be returned, from whatever source. */
  hasTitle: boolean
  hasDescription: boolean
  /** The title is a template that a script was to fill in. */
  hasTemplateTitle: boolean
  /** False when reading ended with a head that had said enough: the four below then know nothing of the body. */
  isBodyRead: boolean
  /** Visible characters without white space, about. */
  textLength: number
  /** Scripts that a browser would run. */
  scriptCount: number
  /** An element that a framework fills (`#root`, `app-root`), and how much text it holds before that. */
  mountPoint: { selector: string; textLength: number } | null
  /** A noscript element says that the page does not work without scripts. */
  asksForScripts: boolean
  /** What stands in front of the wanted page, if this is not it. */
  interstitial: Interstitial | null
}

/** Bytes of scripts or text in which a challenge is sought: those that are one have less. */
const MAX_JOINED_BYTES = 65_536

/** Sums up what the pass over a page has seen. */
export function evidenceOf(page: Page, metadata: Metadata, body: BodyMeasure, isBodyRead: boolean): PageEvidence {
  const { harvest, reader, url } = page
  const titles = harvest.titles.slice(0, 1).map((range) => collapsed(reader.text(range)))
  const openGraphTitles = (harvest.metas.get('og:title') ?? []).slice(0, 1).map((range) => reader.attribute(range))
  return {
    hasOpenGraph: harvest.hasOpenGraph,
    hasTitle: metadata.title !== undefined,
    hasDescription: metadata.description !== undefined,
    hasTemplateTitle: [...titles, ...openGraphTitles].some(isPlaceholder),
    isBodyRead,
    textLength: body.textLength,
    scriptCount: body.scriptCount,
    mountPoint: body.mountPoint,
    asksForScripts: body.noscriptTexts.some((range) => /java\s?script/i.test(reader.text(range))),
    interstitial: interstitialOf({
      url,
      title: titles[0] ?? '',
      description: metadata.description ?? '',
      hasOpenGraph: harvest.hasOpenGraph,
      body,
      code: () => joined(page, [...harvest.scripts, ...harvest.frames]),
      text: () => joined(page, body.texts),
    }),
  }
}

/** What stands in some places of a page, as one text. */
function joined({ reader }: Page, ranges: readonly Range[]): string {
  let bytesLeft = MAX_JOINED_BYTES
  const parts: string[] = []
  for (const range of ranges) {
    if (bytesLeft <= 0) break
    parts.push(reader.raw(range, bytesLeft))
    bytesLeft -= range.end - range.start
  }
  return decodeHTML(parts.join('\n'))
}
