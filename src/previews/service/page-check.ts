import { AppError } from '../../core/errors.ts'
import { LIMIT_REACHED } from '../../core/fetch/image-facts.ts'
import type { Caller, PageTexts } from '../../core/fetch/ports.ts'
import { parseDetails } from '../../core/fetch/result-details.ts'
import { error, idsOf, type TagCheck } from '../checks/check.ts'
import { checksOf } from '../checks/checks.ts'
import { PLATFORMS } from '../platforms/platforms.ts'
import { cardsOf } from '../rules/preview.ts'
import { type Verdict, verdictOf } from '../rules/verdict.ts'
import type { NoTags } from '../tags/page-tags.ts'
import { previewFactsOf } from './link-previews.ts'
import type { InspectOptions } from './page-files.ts'
import { newRecord, type PlaygroundSuccessRecord } from './playground-record.ts'
import type { PreviewRequests } from './preview-requests.ts'

/** The ids of the apps whose cards are checked. */
export const APP_IDS: readonly string[] = idsOf(PLATFORMS)

/** What each app shows for a link, and what is wrong with the tags of the page. */
export interface PageCheck {
  /** The requested URL. */
  url: string
  apps: ({ id: string; name: string } & Verdict)[]
  /** What should be changed, the most severe first. */
  findings: TagCheck[]
}

export interface CheckedPage extends Pick<PageTexts, 'json' | 'details'> {
  url: string
}

export interface CheckOptions extends InspectOptions {
  /** The ids of the apps to check; [] for all. An app of the list that shows no card is an error in itself. */
  apps: readonly string[]
}

const NO_TAGS: Record<NoTags, string> = {
  file: 'The URL leads to a file, not to a web page, so it has no tags',
  unknown: 'The tags of the page are too large to be checked',
}

/** Checks the cards of a page that was read with its tags, for programs. */
export type PageChecker = ReturnType<typeof createPageChecker>

export function createPageChecker(previewRequests: PreviewRequests) {
  /**
   * Requests what the cards need: the images, the oEmbed response, and robots.txt.
   * @throws AppError if the tags are not known, or the limits per minute of the caller are reached
   */
  return async (caller: Caller, page: CheckedPage, { apps, ...options }: CheckOptions) => {
    const { url, json, details } = page
    const found = { result: JSON.parse(json), cached: false, details: parseDetails(details) }
    const record = await previewRequests(caller, newRecord(url, found), options)
    return { record, check: pageCheckOf(record, apps) }
  }
}

function pageCheckOf(record: PlaygroundSuccessRecord, ids: readonly string[]): PageCheck {
  const facts = previewFactsOf(record)
  if (typeof facts === 'string') throw new AppError('fetch_failed', NO_TAGS[facts])
  // Without them, it is not known what apps show.
  if ([...record.images, ...record.robots].some(({ problem }) => problem === LIMIT_REACHED)) {
    throw new AppError('page_limit', 'You checked too many pages in a short time. Check the page again in a minute.')
  }
  const isChosen = (id: string) => ids.length === 0 || ids.includes(id)
  const cards = cardsOf(facts.input).filter(({ platform }) => isChosen(platform.id))
  const apps = cards.map((card) => ({ id: card.platform.id, name: card.platform.name, ...verdictOf(card) }))
  const missing = ids.length === 0 ? [] : cards.filter(({ problem }) => problem !== '')
  const concerns = ({ severity, apps: of }: TagCheck) => severity !== 'ok' && (of.length === 0 || of.some(isChosen))
  const findings = [
    ...missing.map(({ platform, problem }) => error(platform.name, `No card: ${problem}.`, '', [platform.id])),
    ...checksOf(facts.checks).filter(concerns),
  ]
  return { url: record.url, apps, findings }
}
