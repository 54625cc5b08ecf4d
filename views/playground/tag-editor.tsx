import { PostForm } from '../ui/form.tsx'

export interface TagEditorProps {
  csrf: string
  /** The id of the result. */
  id: string
  /** HTML. */
  text: string
  isEdited: boolean
}

/** The path to which edited tags are posted. */
export function tagsPath(id: string): string {
  return `/playground/results/${encodeURIComponent(id)}/tags`
}

/** A form to preview changed tags before they are published. With scripts, the cards change while typing. */
export function TagEditor({ csrf, id, text, isEdited }: TagEditorProps) {
  return (
    <details class="panel editor" open={isEdited}>
      <summary>Edit tags</summary>
      <PostForm
        action={tagsPath(id)}
        csrf={csrf}
        class="edit"
        label="Edit tags"
        live="result-tabs link-cards"
        busy="Updating…"
      >
        <div class="field">
          <label for="tags">HTML</label>
          <textarea
            id="tags"
            name="tags"
            rows="12"
            maxlength="40000"
            spellcheck="false"
            aria-describedby="tags-hint"
            safe
          >
            {text}
          </textarea>
          <p class="hint" id="tags-hint">
            Only the cards and checks change, not the page. New images are loaded when you update the cards.
          </p>
        </div>
        <p class="error" role="alert" hidden data-live-failure>
          The cards cannot be updated: the result has expired, or you are signed out. Copy your tags before you leave
          this page.
        </p>
        <div class="buttons">
          <button class="button primary" name="images" value="true">
            Update cards
          </button>
        </div>
      </PostForm>
    </details>
  )
}
