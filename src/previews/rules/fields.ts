import { bytesText } from '../../core/byte-count.ts'
import { listPageTags, MAX_VALUE_CHARACTERS } from '../tags/list-page-tags.ts'
import { mapNames } from '../../core/map-names.ts'
import { firstTag, keyOf, type PageTag, type PageTags } from '../tags/page-tags.ts'
import { collapseWhitespace, truncate } from '../../core/extract/reading/text.ts'
import { type ImageFacts, sizeText } from '../../core/fetch/image-facts.ts'
import { tagUrlOf } from './card-content.ts'
import { type Card, MAX_CHARACTERS } from './card.ts'
import { lengthOf, OPEN_GRAPH_FIRST, type Platform } from '../platforms/platform.ts'
import { tagBlock } from '../tags/tag-block.ts'

/** The tags of each field, in order of precedence. The first tag is added to a page that has none of them. */
const FIELDS = {
  title: OPEN_GRAPH_FIRST.title,
  description: OPEN_GRAPH_FIRST.description,
  image: OPEN_GRAPH_FIRST.image,
  site_name: ['og:site_name'],
  type: ['og:type'],
  card: ['twitter:card'],
} as const

/** A part of a card that can be edited without HTML. */
export type FieldName = keyof typeof FIELDS

export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[]

/** How some apps use a field. */
export interface FieldUse {
  /** A limit, or the tag that is used instead: `70 characters`, `reads <title>`. */
  text: string
  isOver: boolean
  apps: string[]
}

export interface EditedField {
  value: string
  /** The length of the value, or the size of the image; '' if unknown. */
  measure: string
  uses: FieldUse[]
}

/** How apps use `og:type`. Other apps ignore it. */
const TYPE_USES: Record<string, string> = {
  x: 'a card without twitter:card',
  discord: 'video, instapp:photo and rich',
  pinterest: 'article and product',
}

/** Tags about one image, which are removed when another image is chosen. */
const IMAGE_PROPERTIES = /^og:image:(?:width|height|type|alt)$/

/**
 * Changes fields of tags that are written as HTML. All tags of a field that have its old value get the new one. Tags
 * with another value are meant to differ, like a `<title>` with the name of the site, and stay the same. The HTML is
 * returned unchanged if no field changes.
 */
export function withFields(html: string, values: Partial<Record<FieldName, string>>): string {
  const bytes = new TextEncoder().encode(html)
  const { tags } = listPageTags({ bytes, encoding: 'utf-8', url: new URL('http://localhost/') })
  const edited = FIELD_NAMES.reduce((changed, name) => withField(changed, name, values[name]), tags)
  return edited === tags ? html : tagBlock(edited)
}

function withField(tags: readonly PageTag[], name: FieldName, typed: string | undefined): readonly PageTag[] {
  if (typed === undefined) return tags
  const value = truncate(collapseWhitespace(typed), MAX_VALUE_CHARACTERS)
  const names: readonly string[] = FIELDS[name]
  const before = firstTag(tags, names)?.value ?? ''
  if (value === before) return tags
  const isOld = (tag: PageTag) => names.includes(keyOf(tag)) && tag.value === before
  const others = name === 'image' ? tags.filter((tag) => !IMAGE_PROPERTIES.test(keyOf(tag))) : tags
  if (value === '') return others.filter((tag) => !isOld(tag))
  const changed = others.map((tag): PageTag => {
    return isOld(tag) ? { element: tag.element, name: tag.name, value, offset: tag.offset } : tag
  })
  if (changed.some((tag) => keyOf(tag) === names[0])) return changed
  // Before the other tags, because Discord uses the first tag of a page.
  return [{ element: 'meta', name: names[0]!, value, offset: 0 }, ...changed]
}

/** The fields of a page, and how each app uses them. */
export function fieldsOf({ tags, baseUrl }: PageTags, cards: readonly Card[], images: readonly ImageFacts[]) {
  const fieldOf = (name: FieldName): EditedField => {
    const tag = firstTag(tags, FIELDS[name])
    const value = tag?.value ?? ''
    const url = name === 'image' ? tagUrlOf(tag, baseUrl) : null
    const measure = url === null ? lengthText(name, value) : imageText(images.find((image) => image.url === url))
    return { value, measure, uses: usesOf(name, tags, cards) }
  }
  return mapNames(FIELD_NAMES, fieldOf)
}

function lengthText(name: FieldName, value: string): string {
  if (name === 'image' || name === 'type' || name === 'card') return ''
  const length = lengthOf(value)
  return `${length} character${length === 1 ? '' : 's'}`
}

function imageText(facts: ImageFacts | undefined): string {
  if (facts === undefined) return 'Not loaded yet'
  const { problem, size, bytes } = facts
  if (problem !== '') return problem
  return [size && sizeText(size), bytes !== null && bytesText(bytes)].filter(Boolean).join(', ')
}

/** Groups apps with the same use. */
function usesOf(name: FieldName, tags: readonly PageTag[], cards: readonly Card[]): FieldUse[] {
  const uses = new Map<string, FieldUse>()
  for (const card of cards) {
    const use = useOf(name, tags, card)
    if (use === null) continue
    const { apps } = uses.getOrInsertComputed(use.text, () => ({ ...use, apps: [] }))
    apps.push(card.platform.name)
  }
  return [...uses.values()]
}

const within = (text: string) => ({ text, isOver: false })

/** How an app uses a field; null if the app ignores the field. */
function useOf(name: FieldName, tags: readonly PageTag[], card: Card): Omit<FieldUse, 'apps'> | null {
  const { platform, used, problem, imageProblem } = card
  if (name === 'card') return platform.usesTwitterCard ? within('size of the image') : null
  if (name === 'type') {
    const use = TYPE_USES[platform.id]
    return use === undefined ? null : within(use)
  }
  const read = name === 'site_name' ? platform.siteName : platform[name]
  if (read.length === 0 || (name === 'description' && !platform.lines.includes(name))) return within('not shown')
  const key = name === 'site_name' ? (read.find((tag) => card.alsoUsed.includes(tag)) ?? '') : used[name]
  const tag = firstTag(tags, FIELDS[name])
  if (key !== '' && firstTag(tags, [key])?.value !== tag?.value) return within(`reads ${key}`)
  if (key === '' && tag !== undefined) return within(`ignores ${keyOf(tag)}`)
  const broken = [problem, imageProblem].find((text) => key !== '' && text.startsWith(`${key}: `))
  if (broken !== undefined) return { text: broken.slice(key.length + 2), isOver: true }
  if (name === 'image') return within(imageLimitText(platform))
  return textLimit(name, card, tag?.value ?? '')
}

function textLimit(name: 'title' | 'description' | 'site_name', { platform, cut }: Card, value: string) {
  const { limits, maxLines } = platform
  if (name === 'site_name') {
    return within(limits.siteName === undefined ? 'shown' : `at most ${limits.siteName} characters`)
  }
  const lines = maxLines[name]
  const limit = limits[name] ?? (lines === 0 ? MAX_CHARACTERS[name] : null)
  const isOver = cut.includes(name)
  if (limit === null) return { text: `${isOver ? 'cut after ' : ''}${lines} line${lines === 1 ? '' : 's'}`, isOver }
  return { text: `${isOver ? `cut: ${lengthOf(value, limits.unit)} of ` : ''}${limit} ${limits.unit}`, isOver }
}

function imageLimitText({ imageLimits: { minWidth, minHeight, maxBytes } }: Platform): string {
  const least = minWidth === null ? [] : [`at least ${minWidth} × ${minHeight}`]
  const most = maxBytes === null ? [] : [`at most ${bytesText(maxBytes)}`]
  return [...least, ...most].join(', ') || 'any size'
}
