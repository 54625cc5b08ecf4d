import { FIELDS, type FieldPath } from './fields.ts'

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

/** The members of the response that are extracted from a page, in the order of `FIELDS`. */
const MEMBERS = [...new Set(FIELDS.map(({ path }) => path.split('.')[0]!))]

/** Puts values into objects by their paths: `meta.author` becomes the member `author` of `meta`. Keeps the order. */
export function nested<Value>(values: Iterable<readonly [path: string, value: Value]>): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [path, value] of values) {
    const [member = path, name] = path.split('.')
    if (name === undefined) result[member] = value
    else ((result[member] ??= {}) as Record<string, unknown>)[name] = value
  }
  return result
}

/** The same metadata with its members in the order of `FIELDS`. */
export function inFieldOrder(metadata: Metadata): Metadata {
  const values: Record<string, unknown> = { ...metadata }
  return Object.fromEntries(MEMBERS.flatMap((name) => (name in values ? [[name, values[name]]] : [])))
}
