import { type Frame, Section } from '../shell.tsx'
import { PostForm, TextField } from '../ui/form.tsx'

export interface DeletionProps {
  frame: Frame
  email: string
  /** The submitted form when the typed text is not the email address; null otherwise. */
  deletion: { typed: string; error: string } | null
}

/** The form that deletes the account, opened when it was submitted with an error. */
export function Deletion({ frame, email, deletion }: DeletionProps) {
  return (
    <Section id="delete" title="Delete account" class="panel danger">
      <p>
        Your keys stop working immediately, and your profile, usage and sessions are deleted. This cannot be undone.
      </p>
      <details open={deletion !== null}>
        <summary class="button danger-outline">Delete my account</summary>
        <PostForm action="/account/delete" csrf={frame.csrf} class="stack">
          <TextField
            name="confirm"
            label={`Type ${email} to confirm`}
            value={deletion?.typed ?? ''}
            error={deletion?.error ?? ''}
            isRequired
          />
          <button class="button danger">Delete permanently</button>
        </PostForm>
      </details>
    </Section>
  )
}
