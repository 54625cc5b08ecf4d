import { Html } from '@elysiajs/html'

import { type Frame, Shell } from './shell.tsx'
import { PostForm } from './ui/form.tsx'

export interface SignInLinkProps {
  frame: Frame
  /** From the address; goes into the hidden field `token` of `POST /sign-in/link`. */
  token: string
}

/** Uses up a one-time link only when its button is pressed, so that no prefetch does. */
export function SignInLink({ frame, token }: SignInLinkProps) {
  return (
    <Shell frame={frame} title="Sign in by link" description="Confirm that you want to sign in.">
      <div class="narrow">
        <h1>Sign in to urlmeta</h1>
        <p class="lead">This link signs you in once, in this browser. Nothing has been used up yet.</p>
        <PostForm action="/sign-in/link" csrf={frame.csrf} busy="Signing in…">
          <input type="hidden" name="token" value={Html.escapeHtml(token)} />
          <button class="button primary wide">Sign in</button>
        </PostForm>
        <p class="muted">You did not ask for this? Close the page, and the link expires by itself.</p>
      </div>
    </Shell>
  )
}
