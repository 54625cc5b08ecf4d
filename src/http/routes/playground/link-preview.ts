import { collapseWhitespace } from '../../../core/extract/reading/text.ts'
import { keyOf, type NoTags, type PageTag } from '../../../previews/tags/page-tags.ts'
import type { Card, CardImage } from '../../../previews/rules/card.ts'
import { checksOf } from '../../../previews/checks/checks.ts'
import { correctedTags } from '../../../previews/checks/corrected-tags.ts'
import { mapNames } from '../../../core/map-names.ts'
import { fieldsOf, FIELD_NAMES } from '../../../previews/rules/fields.ts'
import type { PlaygroundSuccessRecord } from '../../../previews/service/playground-record.ts'
import { verdictOf } from '../../../previews/rules/verdict.ts'
import { cardsOf } from '../../../previews/rules/preview.ts'
import { tagBlock } from '../../../previews/tags/tag-block.ts'
import { previewFactsOf } from '../../../previews/service/link-previews.ts'
import type { LinkPreview, ListedTag, PreviewCard } from '../../../../views/playground/link-preview.ts'

/** @param pathOf returns the path of a proxied image */
export function linkPreviewOf(outcome: PlaygroundSuccessRecord, pathOf: (url: string) => string): LinkPreview | NoTags {
  const facts = previewFactsOf(outcome)
  if (typeof facts === 'string') return facts
  const { input, checks } = facts
  const { plain, rendered } = input.tags
  const cards = cardsOf(input)
  const fields = fieldsOf(plain, cards, input.images)
  const known = [input.favicon, ...input.images.map(({ url }) => url)]
  const isLoaded = (url: string) => outcome.editedTags === null || known.includes(url)
  return {
    url: input.url,
    cards: cards.map((card) => previewCard(card, (url) => (isLoaded(url) ? pathOf(url) : ''), rendered !== undefined)),
    tags: listedTags(plain.tags, cards),
    areTagsTruncated: plain.isTruncated,
    isEdited: outcome.editedTags !== null,
    editorText: outcome.editedTags ?? tagBlock(plain.tags),
    fields: mapNames(FIELD_NAMES, (name) => ({ ...fields[name], fingerprint: fingerprintOf(fields[name].value) })),
    checks: checksOf(checks),
    correctedTags: correctedTags(checks),
  }
}

/** White space is collapsed, so that a field has the same fingerprint as shown and as submitted. */
export const fingerprintOf = (value: string): string => Bun.hash(collapseWhitespace(value)).toString(36)

/** @param pathOf returns '' for images that are not shown: while tags are edited, unfinished URLs are not fetched */
function previewCard(card: Card, pathOf: (url: string) => string, isRendered: boolean): PreviewCard {
  const { image, moreImages, icon, ...rest } = card
  const proxied = ({ url, ...properties }: CardImage) => ({ path: pathOf(url), ...properties })
  return {
    ...rest,
    verdict: verdictOf(card),
    image: image && proxied(image),
    moreImages: moreImages.map(proxied),
    iconPath: icon && pathOf(icon),
    isFromPlainPage: isRendered && !card.platform.runsScripts,
  }
}

/** The tags and the apps that use them. Apps use the first tag of each name. */
function listedTags(tags: readonly PageTag[], cards: readonly Card[]): ListedTag[] {
  const seen = new Set<string>()
  return tags.map((tag): ListedTag => {
    const key = keyOf(tag)
    const isFirst = tag.value !== '' && !seen.has(key)
    if (isFirst) seen.add(key)
    const users = isFirst
      ? cards.filter(({ used, alsoUsed }) => [...Object.values(used), ...alsoUsed].includes(key))
      : []
    return { key, value: tag.value, usedBy: users.map(({ platform }) => platform.name) }
  })
}
