import type { ImageFacts } from '../../core/fetch/image-facts.ts'
import { keyOf, type PageTag } from '../../core/extract/page/page-tags.ts'
import type { Card, CardImage } from '../../core/previews/card.ts'
import { checksOf } from '../../core/previews/checks.ts'
import { correctedTags } from '../../core/previews/corrected-tags.ts'
import { RULES } from '../../core/previews/platforms.ts'
import { cardsOf } from '../../core/previews/preview.ts'
import { tagBlock } from '../../core/previews/tag-block.ts'
import { type PlaygroundSuccessRecord, previewFactsOf } from '../../service/playground/link-previews.ts'
import type { LinkPreview, ListedTag, PreviewCard } from '../../../views/playground/link-preview.ts'

/**
 * The link previews of a result.
 * @param pathOf the path of a proxied image
 */
export function linkPreviewOf(outcome: PlaygroundSuccessRecord, pathOf: (url: string) => string): LinkPreview {
  const { input, checks, isPartial } = previewFactsOf(outcome)
  const { plain, rendered } = input.tags
  const cards = cardsOf(input)
  return {
    url: input.url,
    cards: cards.map((card) => {
      const shown = outcome.editedTags === null ? card : withoutUnknownImage(card, input.images)
      return previewCard(shown, pathOf, rendered !== undefined)
    }),
    tags: listedTags(plain.tags, cards),
    areTagsTruncated: plain.isTruncated,
    isPartial,
    isEdited: outcome.editedTags !== null,
    editorText: outcome.editedTags ?? tagBlock(plain.tags),
    checks: checksOf(checks),
    correctedTags: correctedTags(checks),
  }
}

/** While tags are edited, only images that were inspected are loaded, not every URL that is being typed. */
function withoutUnknownImage(card: Card, images: readonly ImageFacts[]): Card {
  const isKnown = ({ url }: CardImage) => images.some((image) => image.url === url)
  const moreImages = card.moreImages.filter(isKnown)
  if (card.image === null || isKnown(card.image)) return { ...card, moreImages }
  return { ...card, image: null, moreImages, imageProblem: `${card.used.image}: not loaded yet` }
}

function previewCard(card: Card, pathOf: (url: string) => string, isRendered: boolean): PreviewCard {
  const { image, moreImages, icon, ...rest } = card
  const proxied = ({ url, ...properties }: CardImage) => ({ path: pathOf(url), ...properties })
  return {
    ...rest,
    image: image && proxied(image),
    moreImages: moreImages.map(proxied),
    iconPath: icon && pathOf(icon),
    rules: RULES[card.platform.id],
    isFromPlainPage: isRendered && !card.platform.runsScripts,
  }
}

/** The tags and the apps that use them. Apps use the first tag with a name. */
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
