import type { Card, CardImage } from '../../src/core/previews/card.ts'
import type { TagCheck } from '../../src/core/previews/checks/check.ts'
import type { EditedField, FieldName } from '../../src/core/previews/fields.ts'

/** Its path is '' while it is not loaded. */
export type PreviewImage = Omit<CardImage, 'url'> & { path: string }

/** A card with the paths of its proxied images. Other paths are not displayed. */
export type PreviewCard = Omit<Card, 'image' | 'moreImages' | 'icon'> & {
  image: PreviewImage | null
  moreImages: PreviewImage[]
  iconPath: string | null
  /** The rules of the app with the URLs of their sources; null for a rule without one. */
  rules: Readonly<Record<string, string | null>>
  /** Whether the card uses the page as sent, although the result comes from the rendered page. */
  isFromPlainPage: boolean
}

/** A field of the editor. */
export interface ShownField extends EditedField {
  /** Tells whether it was changed, without its value being in the page once more. */
  fingerprint: string
}

export interface ListedTag {
  /** `og:title`, `<title>` … */
  key: string
  value: string
  /** Names of the apps whose cards use it. */
  usedBy: string[]
}

export interface LinkPreview {
  url: string
  cards: PreviewCard[]
  tags: ListedTag[]
  areTagsTruncated: boolean
  /** Whether only the tags that the API used are known. */
  isPartial: boolean
  isEdited: boolean
  /** The tags as HTML to edit. */
  editorText: string
  /** The same tags as fields. */
  fields: Record<FieldName, ShownField>
  checks: TagCheck[]
  /** The tags that the page should have, as HTML. */
  correctedTags: string
}
