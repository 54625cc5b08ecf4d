import type { FieldPath } from './fields.ts'

/**
 * The metadata of a page: the fields of src/core/extract/fields/fields.ts, with `meta.author` as the property `author` of
 * `meta`. Fields are absent rather than empty, and URLs are http(s).
 */
export type Metadata = {
  [Name in FirstSegment<FieldPath>]?: Name extends FieldPath ? string : Group<Name>
}

/** `meta.author` → `meta`, `title` → `title`. */
type FirstSegment<Path extends string> = Path extends `${infer First}.${string}` ? First : Path

/** The fields whose path begins with a group's name. */
type Group<Name extends string> = {
  [Path in FieldPath as Path extends `${Name}.${infer Member}` ? Member : never]?: string
}
