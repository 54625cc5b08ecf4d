import { escapeHtml } from '@kitajs/html'

import type { TagCheck, Severity } from '../../src/previews/checks/check.ts'
import { Badge, type BadgeProps } from '../ui/badge.tsx'
import { CodeBlock } from '../ui/code.tsx'
import { PostForm } from '../ui/form.tsx'
import { pluralized } from '../ui/number.ts'
import { InlineText, Text } from '../ui/text.tsx'
import { NoTags } from './no-details.tsx'
import type { TabProps } from './outcome.ts'
import { tagsPath } from './tag-editor.tsx'

const BADGES: Record<Severity, BadgeProps> = {
  error: { tone: 'bad', text: 'Error' },
  warning: { tone: 'warn', text: 'Warning' },
  notice: { text: 'Notice' },
  ok: { tone: 'good', text: 'OK' },
}

export function ChecksTab({ csrf, outcome: { id, preview } }: Omit<TabProps, 'request'>) {
  if (typeof preview === 'string') return <NoTags reason={preview} />
  const { checks, correctedTags, isEdited } = preview
  return (
    <>
      {isEdited && <p class="callout">These checks are for your edited tags.</p>}
      <Text class="counts" text={countsText(checks)} />
      <ul class="checks">
        {checks.map((check) => (
          <CheckItem check={check} />
        ))}
      </ul>
      <h3 id="corrected">Corrected tags</h3>
      <CodeBlock code={correctedTags} />
      {csrf !== '' && (
        <PostForm action={tagsPath(id)} csrf={csrf} label="Preview the corrected tags" busy="Loading…">
          <input type="hidden" name="tags" value={escapeHtml(correctedTags)} />
          <input type="hidden" name="images" value="true" />
          <button class="button">Preview these tags</button>
        </PostForm>
      )}
    </>
  )
}

function CheckItem({ check: { severity, subject, reason, fix } }: { check: TagCheck }) {
  return (
    <li>
      <Badge {...BADGES[severity]} />
      <div>
        <p>
          <code safe>{subject}</code> <InlineText dir="auto" text={reason} />
        </p>
        <Text class="fix" text={fix} />
      </div>
    </li>
  )
}

/** `1 error, 2 warnings, 3 notices`; `No problems found.` */
export function countsText(checks: readonly TagCheck[]): string {
  const parts = (['error', 'warning', 'notice'] as const).flatMap((severity) => {
    const count = checks.filter((check) => check.severity === severity).length
    return count === 0 ? [] : [pluralized(count, severity)]
  })
  return parts.length === 0 ? 'No problems found.' : parts.join(', ')
}
