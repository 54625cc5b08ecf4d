import { Html } from '@elysiajs/html'

import type { TabProps } from './outcome.ts'

/** The fields that a link preview is made from. */
const PREVIEW_FIELDS = ['title', 'description', 'image', 'favicon', 'site_name', 'canonical_url'] as const

/** Which of the fields of a link preview the page has. */
export function ChecksTab({ outcome: { response } }: TabProps) {
  return (
    <ul class="panel rows">
      {PREVIEW_FIELDS.map((field) => (
        <li>
          <code>{field}</code>
          {response[field] === undefined ? (
            <span class="badge bad end">missing</span>
          ) : (
            <span class="badge good end">found</span>
          )}
        </li>
      ))}
    </ul>
  )
}
