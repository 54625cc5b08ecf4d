import type { Harvest } from './harvest.ts'
import type { TextReader } from '../reading/text.ts'
import type { TagGroup, TagNames } from '../sources/sources.ts'

/** The first groups are enough: the image of a response is usually the first one, and each URL has to be parsed. */
const MAX_GROUPS = 4

/** The meta elements of these names in groups, in document order. A repeated URL begins the next group. */
export function tagGroupsOf({ metas }: Harvest, reader: TextReader, { names, urls }: TagNames): readonly TagGroup[] {
  if (!urls.some((suffix) => metas.has(names.get(suffix)!))) return []
  const tags = [...names].flatMap(([suffix, name]) => (metas.get(name) ?? []).map((range) => ({ suffix, range })))
  let group = new Map<string, string>()
  const groups = [group]
  for (const { suffix, range } of tags.toSorted((a, b) => a.range.start - b.range.start)) {
    if (group.has(suffix) && urls.includes(suffix)) {
      if (groups.length === MAX_GROUPS) break
      groups.push((group = new Map()))
    }
    if (!group.has(suffix)) group.set(suffix, reader.attribute(range))
  }
  return groups
}
