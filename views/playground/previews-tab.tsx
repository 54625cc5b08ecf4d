import { escapeHtml } from '@kitajs/html'

import { PostForm } from '../ui/form.tsx'
import type { LinkPreview } from './link-preview.ts'
import { NoTags } from './no-details.tsx'
import type { TabProps } from './outcome.ts'
import { Icon } from '../ui/icon.tsx'
import { AppMark, anchorOf, PreviewCardItem } from './preview-card.tsx'
import { TagEditor, tagsPath } from './tag-editor.tsx'

export function PreviewsTab({ csrf, outcome }: Omit<TabProps, 'request'>) {
  const { id, preview } = outcome
  if (typeof preview === 'string') return <NoTags reason={preview} />
  return (
    <div class="previews-tab">
      <AppMarks cards={preview.cards} />
      {csrf !== '' && <TagEditor csrf={csrf} id={id} preview={preview} />}
      {/* The script replaces this element while tags are edited. */}
      <div id="link-cards" class="link-cards">
        <Notes csrf={csrf} id={id} preview={preview} />
        <ul class="previews">
          {preview.cards.map((card) => (
            <PreviewCardItem card={card} url={preview.url} />
          ))}
        </ul>
        <p class="hint">Cards are approximate where an app does not document a rule.</p>
      </div>
    </div>
  )
}

/** The answer at a glance: a row of apps, with a link to the card of each. */
function AppMarks({ cards }: Pick<LinkPreview, 'cards'>) {
  return (
    <nav id="app-marks" aria-label="Apps">
      <ul class="app-marks">
        {cards.map(({ platform, verdict: { state, text } }) => (
          <li>
            <a data-state={state} href={`#${anchorOf(platform)}`}>
              <AppMark platform={platform} />
              <b>
                {escapeHtml(platform.name)} {state === 'fits' && <Icon name="check" />}
              </b>
              <span safe>{text}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Notes({ csrf, id, preview: { isEdited, cards } }: { csrf: string; id: string; preview: LinkPreview }) {
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
    </>
  )
}
