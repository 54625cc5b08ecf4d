import type { Metadata } from './metadata.ts'
import { FIELDS } from './fields.ts'

/** The members of the response that are extracted from a page, in the order of the table. */
const MEMBERS = new Set(FIELDS.map(({ path }) => path.split('.')[0]!))

/** Puts values into objects by their paths: `meta.author` becomes the member `author` of `meta`. Keeps the order. */
export function nested<Value>(values: Iterable<readonly [path: string, value: Value]>): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [path, value] of values) {
    const dot = path.indexOf('.')
    if (dot < 0) result[path] = value
    else {
      const group = (result[path.slice(0, dot)] ??= {}) as Record<string, unknown>
      group[path.slice(dot + 1)] = value
    }
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
