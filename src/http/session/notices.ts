import type { Notice } from '../../../views/shell.tsx'

/** Messages shown after a form was processed. The cookie only has a message's name, so it cannot show other text. */
const NOTICES = {
  key_updated: { tone: 'good', text: 'Key changed. The settings apply from the next request.' },
  key_deactivated: { tone: 'good', text: 'Key deactivated. Further requests with it are rejected (HTTP 401).' },
  urls_logged: { tone: 'good', text: 'The host and path of requested URLs are now logged.' },
  urls_not_logged: { tone: 'good', text: 'URLs are no longer logged. The logged URLs were deleted.' },
  alerts_saved: { tone: 'good', text: 'Usage alerts will be sent to this URL.' },
  alert_test_sent: { tone: 'good', text: 'The test message was delivered.' },
  alerts_removed: { tone: 'good', text: 'Webhook removed. No further alerts are sent.' },
  sharing_stopped: { tone: 'good', text: 'The link no longer works.' },
  identity_removed: { tone: 'good', text: 'Sign-in method removed.' },
  session_ended: { tone: 'good', text: 'Session signed out.' },
  other_sessions_ended: { tone: 'good', text: 'All other sessions signed out.' },
  form_not_processed: { tone: 'bad', text: 'Your session ended. Sign in to continue. Nothing was changed.' },
  signed_out: { tone: 'good', text: 'You are signed out.' },
  account_deleted: { tone: 'good', text: 'Account deleted. Its keys no longer work.' },
  plan_changed: { tone: 'good', text: 'Plan changed.' },
  limits_changed: { tone: 'good', text: 'Limits changed.' },
  invitation_revoked: { tone: 'good', text: 'Invitation revoked. Its link no longer works.' },
  user_suspended: { tone: 'good', text: 'User suspended. Their keys and sessions no longer work.' },
  user_disconnected: { tone: 'good', text: 'Sign-in methods removed and all sessions signed out.' },
  backup_written: { tone: 'good', text: 'Backup written.' },
  backup_running: { tone: 'good', text: 'A backup is being created. Reload this page to see the result.' },
  backup_failed: { tone: 'bad', text: 'The backup failed.' },
  user_resumed: { tone: 'good', text: 'Suspension lifted. Their keys work again.' },
} as const satisfies Record<string, Notice>

export type NoticeName = keyof typeof NOTICES

/** The notice that a cookie names, or null. */
export function noticeOf(name: string | null): Notice | null {
  return name !== null && Object.hasOwn(NOTICES, name) ? NOTICES[name as NoticeName] : null
}
