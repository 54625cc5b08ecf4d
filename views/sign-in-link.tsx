import { Html } from '@elysiajs/html'

import { type Frame, Shell } from './shell.tsx'
import { PostForm } from './ui/form.tsx'

export interface SignInLinkProps {
  frame: Frame
  /** From the URL; sent in the hidden field `token` of `POST /sign-in/link`. */
  token: string
}

/** Redeems a one-time link only when the button is pressed, so that prefetching the link does not redeem it. */
export function SignInLinkPage({ frame, token }: SignInLinkProps) {
  return (
    <Shell frame={frame} title="Sign in by link" description="Confirm that you want to sign in.">
      <div class="narrow">
        <h1>Sign in to urlmeta</h1>
        <p class="lead">This link signs you in once, in this browser.</p>
        <PostForm action="/sign-in/link" csrf={frame.csrf} busy="Signing in…">
          <input type="hidden" name="token" value={Html.escapeHtml(token)} />
          <button class="button primary wide">Sign in</button>
        </PostForm>
        <p class="muted">If you did not request this link, close this page. The link expires automatically.</p>
      </div>
    </Shell>
  )
}
