import { KEY_SETTINGS } from '../../core/accounts/key-settings.ts'
import { SIGN_IN_ATTEMPT_MS } from '../../core/lifetimes.ts'
import type { Cookies } from './cookies.ts'
import type { Form } from './form.ts'

/**
 * The fields that are kept when a form is submitted after the session has ended, by path, which is the same for the
 * form and its page. Only fields that cannot have a key, a password or a token are listed.
 */
const KEPT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  '/keys': ['expires_in', ...Object.values(KEY_SETTINGS).map(({ field }) => field)],
  '/admin/invite': ['email'],
  '/playground': ['url'],
}

/**
 * The maximum length of a draft as encoded in the cookie; longer drafts are not kept. Browsers ignore cookies whose
 * name and value exceed 4,096 bytes.
 */
const MAX_DRAFT_BYTES = 4_000

/** User information and queries of URLs can be secrets. */
const mayBeSecret = (name: string, value: string) => name === 'url' && /[?#@]/.test(value)

/** Keeps a form that was submitted after the session ended, in a cookie, until the user signs in again. */
export type Drafts = ReturnType<typeof createDrafts>

export function createDrafts(cookies: Cookies) {
  return {
    isKept: (path: string) => Object.hasOwn(KEPT_FIELDS, path),

    /** A `Set-Cookie` header with the fields of a user's form; [] if the draft is empty or too long. */
    save(path: string, form: Form, userId: string): string[] {
      const fields = (KEPT_FIELDS[path] ?? []).map((name) => [name, form(name)] as const)
      const kept = fields.filter(([name, value]) => value !== '' && !mayBeSecret(name, value))
      const text = new URLSearchParams({ form: path, user: userId, ...Object.fromEntries(kept) }).toString()
      if (kept.length === 0 || encodeURIComponent(text).length > MAX_DRAFT_BYTES) return []
      return [cookies.set('urlmeta_draft', text, SIGN_IN_ATTEMPT_MS)]
    },

    /** The draft of the user for the page with this path, or null. Another user of the browser must not see it. */
    find(request: Request, path: string, userId: string): Form | null {
      const fields = new URLSearchParams(cookies.read(request, 'urlmeta_draft') ?? '')
      const isFound = fields.get('form') === path && fields.get('user') === userId
      return isFound ? (name) => fields.get(name) ?? '' : null
    },
  }
}
