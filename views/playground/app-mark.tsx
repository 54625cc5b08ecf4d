import { escapeHtml } from '@kitajs/html'

import type { Platform, PlatformId } from '../../src/core/previews/platform.ts'
import marks from './app-marks.json' with { type: 'json' }

/** Marks from simple-icons (CC0-1.0), 24 × 24. Others are too large for the page, or may not be shown. */
const MARKS: Partial<Record<PlatformId, { color: string; path: string }>> = marks

/** The mark of an app in its color, or its letters. */
export function AppMark({ platform: { id, mark } }: { platform: Platform }) {
  const drawn = MARKS[id]
  return drawn === undefined ? (
    <span class="mark" aria-hidden="true" safe>
      {mark}
    </span>
  ) : (
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <path fill={id === 'x' ? 'currentColor' : escapeHtml(drawn.color)} d={escapeHtml(drawn.path)} />
    </svg>
  )
}
