import type { Charset } from '../../core/extract/reading/charset.ts'
import { withoutHidden } from '../../core/extract/reading/normalize.ts'
import { truncate } from '../../core/extract/reading/text.ts'
import type { Interstitial } from '../../core/walls/interstitial.ts'
import { firstTag, type PageTag } from '../tags/page-tags.ts'
import type { Hop } from '../../core/fetch/trace.ts'
import type { PreviewInput } from '../rules/preview.ts'

/**
 * `error`: some apps show no card or a wrong card; `warning`: some show a worse card; `notice`: the card could be better.
 */
export type Severity = 'error' | 'warning' | 'notice' | 'ok'

export interface TagCheck {
  severity: Severity
  /** What was checked: `og:image`. */
  subject: string
  reason: string
  /** What to do; '' when there is nothing to do. */
  fix: string
  /** The ids of the apps that it concerns; [] for most apps. */
  apps: readonly string[]
}

export interface CheckFacts extends Omit<PreviewInput, 'favicon'> {
  hops: readonly (Pick<Hop, 'url' | 'by' | 'isDowngrade'> & { status: number | null })[]
  /** Null when unknown, and for tags that are being edited. */
  charset: Charset | null
  /** The X-Robots-Tag header, or ''. */
  robotsHeader: string
  interstitial: Interstitial | null
}

/** The value of a tag, or ''. */
export function valueOf(tags: readonly PageTag[], ...names: string[]): string {
  return firstTag(tags, names)?.value ?? ''
}

/** Whether the encoding of a page is declared where browsers look for it. */
export function isDeclared({ from }: Charset): boolean {
  return from === 'mark' || from === 'header' || from === 'meta'
}

/** The types of `twitter:card`. */
export const CARD_TYPES: readonly string[] = ['summary', 'summary_large_image', 'app', 'player']

/** A text of a page, truncated to be quoted in a reason, without what people would not see. */
export function shortened(text: string): string {
  return withoutHidden(text.length > 60 ? `${truncate(text, 59)}…` : text)
}

/** For the `apps` of a finding. */
export const idsOf = (platforms: readonly { id: string }[]): string[] => platforms.map(({ id }) => id)

const finding =
  (severity: Severity) =>
  (subject: string, reason: string, fix = '', apps: readonly string[] = []): TagCheck => {
    return { severity, subject, reason, fix, apps }
  }

export const error = finding('error')
export const warning = finding('warning')
export const notice = finding('notice')
export const passed = finding('ok')
