import { escapeHtml } from '@kitajs/html'

import { PostForm } from '../ui/form.tsx'
import type { TabProps } from './outcome.ts'
import { PreviewCardItem } from './preview-card.tsx'
import { TagEditor, tagsPath } from './tag-editor.tsx'

export function PreviewsTab({ csrf, outcome }: Omit<TabProps, 'request'>) {
  const { id, preview } = outcome
  return (
    <div class="previews-tab">
      {csrf !== '' && <TagEditor csrf={csrf} id={id} preview={preview} />}
      {/* The script replaces this element while tags are edited. */}
      <div id="link-cards" class="link-cards">
        <Notes csrf={csrf} outcome={outcome} />
        <p class="hint">
          Cards are approximate where an app does not document a rule. “Tags and rules” lists each rule with its source.
        </p>
        <ul class="previews">
          {preview.cards.map((card) => (
            <PreviewCardItem card={card} url={preview.url} />
          ))}
        </ul>
      </div>
    </div>
  )
}

function Notes({ csrf, outcome: { id, preview, response, cachedAtMs } }: Omit<TabProps, 'request'>) {
  const { isEdited, isPartial, cards } = preview
  const isCached = cachedAtMs !== null
  return (
    <>
      {isEdited && csrf === '' && <p class="callout">These cards show edited tags, not the tags of the page.</p>}
      {isEdited && csrf !== '' && (
        <PostForm action={tagsPath(id)} csrf={csrf} class="callout scheme" label="Edited tags">
          <p>These cards show your edited tags. The page itself is unchanged.</p>
          <button class="button small" name="reset" value="true">
            Discard edits
          </button>
        </PostForm>
      )}
      {cards.some(({ isFromPlainPage }) => isFromPlainPage) && (
        <p class="callout warn scripts-note">
          <strong>These apps will see this.</strong> The page builds its content with scripts. Of these apps, only
          Google runs scripts, so cards marked “plain HTML” show the page as the server sends it.
        </p>
      )}
      {isPartial && (!isCached || csrf === '') && (
        <p class="callout">These cards show only tags that the API used. Other tags of the page are not known.</p>
      )}
      {isPartial && isCached && csrf !== '' && (
        <PostForm action="/playground" csrf={csrf} class="callout scheme" label="Fetch again" busy="Fetching…">
          <input type="hidden" name="url" value={escapeHtml(response.url)} />
          <input type="hidden" name="fresh" value="true" />
          <p>The cached result has only the tags that the API used. Other tags may change these cards.</p>
          <button class="button small">Fetch all tags</button>
        </PostForm>
      )}
    </>
  )
}
