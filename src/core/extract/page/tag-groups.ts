import type { Harvest } from './harvest.ts'
import type { TextReader } from '../reading/text.ts'
import { metaNameOf } from '../sources/extra-sources.ts'
import type { TagGroup, TagNames } from '../sources/sources.ts'

/** The meta elements of these names in groups, in document order. A repeated URL begins the next group. */
export function tagGroupsOf(
  { metas }: Harvest,
  reader: TextReader,
  { prefix, urls, properties }: TagNames,
): readonly TagGroup[] {
  const tags = [...urls, ...properties].flatMap((part) =>
    (metas.get(metaNameOf(prefix, part)) ?? []).map((range) => ({ part, range })),
  )
  let group = new Map<string, string>()
  const groups = [group]
  for (const { part, range } of tags.toSorted((a, b) => a.range.start - b.range.start)) {
    if (group.has(part) && urls.includes(part)) groups.push((group = new Map()))
    if (!group.has(part)) group.set(part, reader.attribute(range))
  }
  return groups
}
