import { escapeHtml } from '@kitajs/html'

import type { Platform } from '../../src/core/previews/platform.ts'
import { ASSETS } from '../assets.ts'

/** The mark of an app in its color, or its letters. */
export function AppMark({ platform: { id, letters } }: { platform: Platform }) {
  return letters === '' ? (
    <svg aria-hidden="true">
      <use href={escapeHtml(`${ASSETS['/marks.svg'].href}#${id}`)} />
    </svg>
  ) : (
    <span class="mark" aria-hidden="true" safe>
      {letters}
    </span>
  )
}
