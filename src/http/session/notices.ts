import type { Notice } from '../../../views/shell.tsx'
import notices from './notices.json'

export type NoticeName = keyof (typeof notices)['good'] | keyof (typeof notices)['bad']

/** Messages shown after a form was processed. The cookie only has a message's name, so it cannot show other text. */
const NOTICES = new Map<string, Notice>([
  ...Object.entries(notices.good).map(([name, text]) => [name, { tone: 'good', text }] as const),
  ...Object.entries(notices.bad).map(([name, text]) => [name, { tone: 'bad', text }] as const),
])

/** The notice that a cookie names, or null. */
export const noticeOf = (name: string | null): Notice | null => NOTICES.get(name ?? '') ?? null
