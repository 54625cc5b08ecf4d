import type { Metadata } from './metadata.ts'
import { FIELDS } from './fields.ts'

/** The member and, within a group, the name of each path, split once. */
const PARTS: ReadonlyMap<string, readonly string[]> = new Map(FIELDS.map(({ path }) => [path, path.split('.')]))

/** The members of the response that are extracted from a page, in the order of the table. */
const MEMBERS = new Set([...PARTS.values()].map(([member]) => member!))

/** Puts values into objects by their paths: `meta.author` becomes the member `author` of `meta`. Keeps the order. */
export function nested<Value>(values: Iterable<readonly [path: string, value: Value]>): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [path, value] of values) {
    const [member = path, name] = PARTS.get(path) ?? []
    if (name === undefined) result[member] = value
    else ((result[member] ??= {}) as Record<string, unknown>)[name] = value
  }
  return result
}

/** The same metadata with its members in the order of the table. */
export function inFieldOrder(metadata: Metadata): Metadata {
  const values: Record<string, unknown> = { ...metadata }
  const ordered: Record<string, unknown> = {}
  for (const name of MEMBERS) if (name in values) ordered[name] = values[name]
  return ordered
}
