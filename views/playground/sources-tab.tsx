import type { PageResult } from '../../src/core/fetch/page-result.ts'
import { truncate } from './card-text.ts'
import type { ListedTag } from './link-preview.ts'
import { NoDetails } from './no-details.tsx'
import type { TabProps } from './outcome.ts'
import { RowHead, Table, TextCell } from '../ui/table.tsx'

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
            <RowHead of="code" text={field} />
            <td safe>{source}</td>
            <ValueCell text={typeof value === 'string' ? value : JSON.stringify(value)} />
          </tr>
        ))}
      </Table>
      {typeof preview !== 'string' && <TagTable tags={preview.tags} areTruncated={preview.areTagsTruncated} />}
    </>
  )
}

const ValueCell = ({ text }: { text: string }) => (
  <TextCell class="value" dir="auto" text={truncate(text, MAX_VALUE_CHARACTERS)} />
)

/** All tags of the page, including tags that no app uses. */
function TagTable({ tags, areTruncated }: { tags: readonly ListedTag[]; areTruncated: boolean }) {
  return (
    <>
      <h3>All tags of the page</h3>
      <Table class="plain all-tags" caption="All tags of the page" columns={['Tag', 'Value', 'Used by']}>
        {tags.map(({ key, value, usedBy }) => (
          <tr>
            <RowHead of="code" text={key} />
            <ValueCell text={value} />
            <TextCell class={usedBy.length === 0 ? 'muted' : undefined} text={usedBy.join(', ') || '–'} />
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
