import type { NoTags as Reason } from '../../src/previews/tags/page-tags.ts'
import { Text } from '../ui/text.tsx'

/** Shown for a result without details: they were too large, or an older version cached the result. */
export const NoDetails = () => (
  <Text
    class="empty"
    text="The details of this result are not available: they were too large to store, or an earlier version stored it."
  />
)

const REASONS: Record<Reason, string> = {
  file: 'This is a file, not a web page, so it has no tags to preview or check. Most apps show only the link to it.',
  unknown:
    'The tags of this page are not known, so there are no previews or checks: they were too large to store, or an earlier version stored the result.',
}

/** Shown instead of previews and checks. */
export const NoTags = ({ reason }: { reason: Reason }) => <Text class="empty" text={REASONS[reason]} />
