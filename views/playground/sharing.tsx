import type { SharedResult } from '../../src/core/saved-results/ports.ts'
import { type Frame, Section } from '../shell.tsx'
import { CodeBlock } from '../ui/code.tsx'
import { FormError, PostForm } from '../ui/form.tsx'
import { DateCell, RowHead, Table } from '../ui/table.tsx'
import { InlineText } from '../ui/text.tsx'
import { DateTime } from '../ui/time.tsx'
import { truncate } from './card-text.ts'

export interface SharingProps {
  /** The viewer's shared results; only on the page of the empty form. */
  shared: readonly Pick<SharedResult, 'id' | 'url' | 'createdAtMs' | 'expiresAtMs'>[]
  /** The link that was just created, shown only in this response; null otherwise. */
  created: { url: string; expiresAtMs: number } | null
  /** Why sharing failed; '' otherwise. */
  error: string
}

/** Longer URLs are truncated in the list. */
const MAX_URL_CHARACTERS = 100

export function SharedLink({ created, error }: SharingProps) {
  if (created === null) return <FormError text={error} />
  return (
    <Section id="shared" title="Link to this result" class="panel created">
      <p>
        <strong>Copy it now.</strong> You will not be able to see it again. Everybody with the link can see this result
        as it is now until <DateTime ms={created.expiresAtMs} />. <a href="/playground">Stop sharing</a>
      </p>
      <CodeBlock code={created.url} />
    </Section>
  )
}

/** Shows nothing if there are no shared results. */
export function SharedResults({ frame, shared }: SharingProps & { frame: Frame }) {
  if (shared.length === 0) return null
  return (
    <Section id="shared" title="Shared results">
      <Table class="cards" caption="Shared results" columns={['Page', 'Shared', 'Works until', { hidden: 'Actions' }]}>
        {shared.map(({ id, url, createdAtMs, expiresAtMs }) => (
          <tr>
            <RowHead class="name" of="bdi" text={truncate(url, MAX_URL_CHARACTERS)} />
            <DateCell label="Shared" ms={createdAtMs} />
            <DateCell label="Works until" ms={expiresAtMs} />
            <td>
              <PostForm action={`/playground/shared/${encodeURIComponent(id)}/stop`} csrf={frame.csrf}>
                <button class="button small">
                  Stop sharing <InlineText class="visually-hidden" text={truncate(url, MAX_URL_CHARACTERS)} />
                </button>
              </PostForm>
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  )
}
