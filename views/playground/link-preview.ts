import type { Card, CardImage } from '../../src/previews/rules/card.ts'
import type { TagCheck } from '../../src/previews/checks/check.ts'
import type { Verdict } from '../../src/previews/rules/verdict.ts'
import type { EditedField, FieldName } from '../../src/previews/rules/fields.ts'

/** `path` is '' while the image is not loaded. */
export type PreviewImage = Omit<CardImage, 'url'> & { path: string }

/** A card with the paths of its proxied images. Images with other paths are not displayed. */
export type PreviewCard = Omit<Card, 'image' | 'moreImages' | 'icon'> & {
  image: PreviewImage | null
  moreImages: PreviewImage[]
  iconPath: string | null
  verdict: Verdict
  /** Whether the card uses the page as sent, although the result comes from the rendered page. */
  isFromPlainPage: boolean
}

export interface ShownField extends EditedField {
  /** A hash of the value, to detect changes without repeating the value in the page. */
  fingerprint: string
}

export interface ListedTag {
  /** `og:title`, `<title>` … */
  key: string
  value: string
  /** Names of the apps whose cards use the tag. */
  usedBy: string[]
}

export interface LinkPreview {
  url: string
  cards: PreviewCard[]
  tags: ListedTag[]
  areTagsTruncated: boolean
  isEdited: boolean
  /** The tags as HTML that users can edit. */
  editorText: string
  /** The tags of `editorText` as fields. */
  fields: Record<FieldName, ShownField>
  checks: TagCheck[]
  /** The tags that the page should have, as HTML. */
  correctedTags: string
}
