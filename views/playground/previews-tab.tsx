import { Html } from '@elysiajs/html'

import { cardText } from './card-text.ts'
import { LinkCards } from './link-cards.tsx'
import type { TabProps } from './outcome.ts'

/** The page's link as apps show it. */
export function PreviewsTab({ outcome: { response, images } }: TabProps) {
  return <LinkCards text={cardText(response, images)} />
}
