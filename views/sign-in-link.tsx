import { escapeHtml } from '@kitajs/html'

import { type Frame, Shell } from './shell.tsx'
import { PostForm } from './ui/form.tsx'

export interface SignInLinkProps {
  frame: Frame
  /** The form's own token, because the link may be opened with or without a session. */
  csrf: string
  /** From the URL; sent in the hidden field `token` of `POST /sign-in/link`. */
  token: string
  /** The account that the link opens. */
  email: string
  /** Whether the link creates the account. */
  isInvitation: boolean
}

/** Redeems a one-time link only when the button is pressed, so that prefetching the link does not redeem it. */
export function SignInLinkPage({ frame, csrf, token, email, isInvitation }: SignInLinkProps) {
  return (
    <Shell frame={frame} title="Sign in by link" description="Confirm that you want to sign in.">
      <div class="narrow">
        <h1>{isInvitation ? 'You are invited to urlmeta' : 'Sign in to urlmeta'}</h1>
        <p class="lead">
          {isInvitation
            ? 'This link works once. It creates an account for this address and signs you in to it:'
            : 'This link works once. It signs you in to the account of:'}
        </p>
        <p class="name">
          <bdi safe>{email}</bdi>
        </p>
        {frame.viewer !== null && (
          <p class="callout">
            You are signed in as <bdi safe>{frame.viewer.email}</bdi>. This ends that session.
          </p>
        )}
        <PostForm action="/sign-in/link" csrf={csrf} busy="Signing in…">
          <input type="hidden" name="token" value={escapeHtml(token)} />
          {isInvitation && <input type="hidden" name="invitation" value="1" />}
          <button class="button primary wide">{isInvitation ? 'Create account' : 'Sign in'}</button>
        </PostForm>
        <p class="muted">If this is not your address, close this page. The link expires automatically.</p>
      </div>
    </Shell>
  )
}
