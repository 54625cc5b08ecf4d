import { Html } from '@elysiajs/html'

import type { Sources } from '../../src/core/extract/extract.ts'
import type { PageResult } from '../../src/core/metadata.ts'
import { truncate } from './card-text.ts'
import { NoDetails } from './no-details.tsx'
import type { TabProps } from './outcome.ts'

/** Longer values are truncated; the JSON response shows them in full. */
const MAX_VALUE_CHARACTERS = 90

/** Where each value came from. */
export function SourcesTab({ outcome: { response, explanation } }: TabProps) {
  if (explanation === null) return <NoDetails />
  return (
    <div class="panel">
      <SourceTable response={response} sources={explanation.sources} />
    </div>
  )
}

function SourceTable({ response, sources }: { response: PageResult; sources: Sources }) {
  return (
    <table class="plain sources">
      <caption class="visually-hidden">Where each value came from</caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Source</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(sources).map(([field, source]) => (
          <tr>
            <th scope="row">
              <code safe>{field}</code>
            </th>
            <td safe>{source}</td>
            <td class="value" dir="auto" safe>
              {truncate(valueOf(response, field), MAX_VALUE_CHARACTERS)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The response's value at a path such as `meta.author`. */
function valueOf(response: PageResult, field: string): string {
  const value = field
    .split('.')
    .reduce<unknown>((object, name) => (object as Record<string, unknown> | undefined)?.[name], response)
  return typeof value === 'string' ? value : ''
}
