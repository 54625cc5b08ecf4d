import type { Notice } from '../../views/shell.tsx'

/** What a page says after a form has done its work. A closed set: no visitor's text gets onto a page this way. */
const NOTICES = {
  key_deactivated: { tone: 'good', text: 'The key is deactivated: the next request with it gets 401.' },
  identity_removed: { tone: 'good', text: 'That way to sign in is removed.' },
  session_ended: { tone: 'good', text: 'That session has ended.' },
  other_sessions_ended: { tone: 'good', text: 'All other sessions have ended.' },
  signed_out: { tone: 'good', text: 'You are signed out.' },
  account_deleted: { tone: 'good', text: 'Your account is deleted, and its keys have stopped working.' },
  plan_changed: { tone: 'good', text: 'The plan is changed, from the next request on.' },
  user_suspended: { tone: 'good', text: 'The user is suspended: keys and sessions have stopped working.' },
  user_disconnected: { tone: 'good', text: 'The ways to sign in are removed, and all sessions have ended.' },
  user_resumed: { tone: 'good', text: 'The suspension has ended: the keys work again.' },
} as const satisfies Record<string, Notice>

export type NoticeName = keyof typeof NOTICES

/** The notice that a cookie names, or null. */
export function noticeOf(name: string | null): Notice | null {
  return name !== null && Object.hasOwn(NOTICES, name) ? NOTICES[name as NoticeName] : null
}
