import { MAX_LINE_LENGTH, normalizeText } from '../reading/normalize.ts'
import { isPlaceholder } from '../reading/placeholder.ts'
import type { FieldKind } from './field.ts'

/** https://developer.x.com/en/docs/x-for-websites/cards/overview/markup, and the types that it no longer has. */
const CARD_TYPES: readonly string[] = ['summary', 'summary_large_image', 'app', 'player', 'photo', 'gallery', 'product']

/** The first segment of the URL of a profile, after an `@` that some templates put in front of any value. */
const PROFILE = /^@*(?:https?:)?\/?\/?(?:(?:www|mobile)\.)?(?:twitter|x)\.com\/(?:#!\/)?@?(\w+)/i

/** Up to 15 characters today; older ones are longer. */
const HANDLE = /^@+(\w{1,20})$/

/** The type of a social card. */
export const cardType: FieldKind = () => (value) => {
  const type = value.trim().toLowerCase()
  return CARD_TYPES.includes(type) ? type : undefined
}

/** Any other address is none. */
const ADDRESS = /^(?:https?:)?\/\//i

const normalizeLine = normalizeText(MAX_LINE_LENGTH)

/** A handle: with its `@` from the URL of a profile, and otherwise as written. */
export const handle: FieldKind = () => (value) => {
  const text = normalizeLine(value)
  if (text === undefined) return undefined
  const name = (PROFILE.exec(text) ?? HANDLE.exec(text))?.[1]
  if (name !== undefined) return isPlaceholder(name) ? undefined : `@${name}`
  return text.startsWith('@') || ADDRESS.test(text) ? undefined : text
}
