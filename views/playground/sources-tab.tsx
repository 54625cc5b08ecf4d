import type { PageResult } from '../../src/core/fetch/page-result.ts'
import { truncate } from './card-text.ts'
import type { ListedTag } from './link-preview.ts'
import { NoDetails } from './no-details.tsx'
import type { TabProps } from './outcome.ts'
import { Table } from '../ui/table.tsx'

/** Longer values are truncated; the JSON response shows them in full. */
const MAX_VALUE_CHARACTERS = 90

export function SourcesTab({ outcome: { response, explanation, preview } }: TabProps) {
  if (explanation === null) return <NoDetails />
  const { sources, extra = {} } = explanation
  const rows = [
    ...Object.entries(sources).map(([field, source]) => ({ field, source, value: valueOf(response, field) })),
    ...Object.entries(extra).map(([name, { value, source }]) => ({ field: `extra.${name}`, source, value })),
  ]
  return (
    <>
      <Table class="plain sources" caption="Where each value came from" columns={['Field', 'Source', 'Value']}>
        {rows.map(({ field, source, value }) => (
          <tr>
            <th scope="row">
              <code safe>{field}</code>
            </th>
            <td safe>{source}</td>
            <td class="value" dir="auto" safe>
              {truncate(typeof value === 'string' ? value : JSON.stringify(value), MAX_VALUE_CHARACTERS)}
            </td>
          </tr>
        ))}
      </Table>
      {!preview.isPartial && <TagTable tags={preview.tags} areTruncated={preview.areTagsTruncated} />}
    </>
  )
}

/** All tags of the page, including tags that no app uses. */
function TagTable({ tags, areTruncated }: { tags: readonly ListedTag[]; areTruncated: boolean }) {
  return (
    <>
      <h3>All tags of the page</h3>
      <Table class="plain all-tags" caption="All tags of the page" columns={['Tag', 'Value', 'Used by']}>
        {tags.map(({ key, value, usedBy }) => (
          <tr>
            <th scope="row">
              <code safe>{key}</code>
            </th>
            <td class="value" dir="auto" safe>
              {truncate(value, MAX_VALUE_CHARACTERS)}
            </td>
            <td class={usedBy.length === 0 ? 'muted' : undefined} safe>
              {usedBy.length === 0 ? '–' : usedBy.join(', ')}
            </td>
          </tr>
        ))}
      </Table>
      {areTruncated && <p class="hint">The page has more tags than are listed.</p>}
    </>
  )
}

/** The response's value at a path such as `meta.author`; '' if there is none. */
function valueOf(response: PageResult, field: string): unknown {
  return field.split('.').reduce<unknown>((object, name) => (object as Record<string, unknown>)[name] ?? '', response)
}
