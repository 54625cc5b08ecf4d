import type { Harvest } from './harvest.ts'
import type { TextReader } from '../reading/text.ts'
import type { TagGroup, TagNames } from '../sources/sources.ts'

/** The first groups are enough: the image of a response is usually the first one, and each URL has to be parsed. */
const MAX_GROUPS = 4

/** The meta elements of these names in groups, in document order. A repeated URL begins the next group. */
export function tagGroupsOf({ metas }: Harvest, reader: TextReader, { names, urls }: TagNames): readonly TagGroup[] {
  if (!urls.some((part) => metas.has(names.get(part)!))) return []
  const tags = [...names].flatMap(([part, name]) => (metas.get(name) ?? []).map((range) => ({ part, range })))
  let group = new Map<string, string>()
  const groups = [group]
  for (const { part, range } of tags.toSorted((a, b) => a.range.start - b.range.start)) {
    if (group.has(part) && urls.includes(part)) {
      if (groups.length === MAX_GROUPS) break
      groups.push((group = new Map()))
    }
    if (!group.has(part)) group.set(part, reader.attribute(range))
  }
  return groups
}
