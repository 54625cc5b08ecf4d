import {
  type Normalize,
  normalizeName,
  normalizeText,
  MAX_DESCRIPTION_LENGTH,
  MAX_LINE_LENGTH,
  MAX_TITLE_LENGTH,
} from './normalize.ts'
import type { Source, SourcePage } from './sources.ts'

/** One field of the response. */
export interface Field {
  /** Its name in the response; `meta.author` is the member `author` of the object `meta`. */
  path: string
  /** For the OpenAPI document and /docs; code is between backticks. */
  description: string
  /** For the OpenAPI document and /docs. */
  example: string
  /** Cleans and checks a source's values. */
  kind: FieldKind
  /** In order of precedence: the first source with an acceptable value wins. */
  sources: readonly Source[]
}

/** What a field holds. */
export type FieldKind = (page: SourcePage) => Normalize

export const title: FieldKind = () => normalizeText(MAX_TITLE_LENGTH)
export const description: FieldKind = () => normalizeText(MAX_DESCRIPTION_LENGTH)
/** Names, handles, types, locales and times. */
export const line: FieldKind = () => normalizeText(MAX_LINE_LENGTH)
export const personName: FieldKind = () => normalizeName
/** An absolute http(s) URL. */
export const address: FieldKind = (page) => (value) => page.resolve(value)
