import { escapeHtml } from '@kitajs/html'

import type { FieldName } from '../../src/previews/rules/fields.ts'
import { CodeBlock } from '../ui/code.tsx'
import { PostForm } from '../ui/form.tsx'
import { pluralized } from '../ui/number.ts'
import { Text } from '../ui/text.tsx'
import type { LinkPreview, ShownField } from './link-preview.ts'
import { resultPath } from './outcome.ts'
import { RadioTab } from '../ui/code-examples.tsx'

/** The path to which edited tags are posted. */
export const tagsPath = (id: string) => `${resultPath(id)}/tags`

/** The ids of elements that change with the tags. */
const LIVE = 'result-tabs app-marks link-cards corrected-tags'
const LIVE_EDITOR = `${LIVE} tags fields`

/** With scripts, the cards beside the form change while the user types. */
export function TagEditor({ csrf, id, preview }: { csrf: string; id: string; preview: LinkPreview }) {
  const { isEdited, editorText, correctedTags, fields } = preview
  return (
    <details class="panel editor" open={isEdited}>
      <summary>Edit tags</summary>
      <PostForm action={tagsPath(id)} csrf={csrf} class="edit" label="Edit tags">
        <fieldset class="langs" aria-label="Edit as">
          <RadioTab group="editor" id="fields" label="Fields" isOpen />
          <div id="fields" class="edit" data-live={[LIVE, 'tags', ...names.map((name) => `${name}-limits`)].join(' ')}>
            {names.map((name) => (
              <Field name={name} field={fields[name]} />
            ))}
          </div>
          <RadioTab group="editor" id="html" label="HTML" />
          <div data-live={`${LIVE} fields`}>
            <textarea id="tags" name="tags" rows="16" maxlength="40000" spellcheck="false" aria-label="HTML" safe>
              {editorText}
            </textarea>
          </div>
          <RadioTab group="editor" id="corrected" label="Corrected tags" />
          <div id="corrected-tags">
            <CodeBlock code={correctedTags} />
            <input type="hidden" name="corrected" value={escapeHtml(correctedTags)} />
          </div>
        </fieldset>
        <p class="error" role="alert" hidden data-live-failure>
          The cards cannot be updated: the result has expired, you are signed out, or the server cannot be reached. Copy
          your tags before you leave this page.
        </p>
        {/* The open tab decides which button is visible. The first one is also pressed by Enter in a field. */}
        <div class="actions">
          <button class="button primary" name="images" value="true" data-live={LIVE_EDITOR}>
            Update cards
          </button>
          <button class="button primary" name="images" value="corrected" data-live={LIVE_EDITOR}>
            Preview these tags
          </button>
        </div>
      </PostForm>
    </details>
  )
}

/** The value of a field with `options` is chosen from a list, which also has the field's current value. */
const FIELDS: Record<FieldName, { label: string; options?: readonly string[] }> = {
  title: { label: 'Title' },
  description: { label: 'Description' },
  image: { label: 'Image' },
  site_name: { label: 'Site name' },
  type: { label: 'Type', options: ['website', 'article', 'product', 'profile', 'video.other', 'rich'] },
  card: { label: 'Card', options: ['summary', 'summary_large_image', 'player', 'app', 'photo'] },
}

const names = Object.keys(FIELDS) as FieldName[]

interface FieldProps {
  name: FieldName
  field: ShownField
}

function Field({ name, field }: FieldProps) {
  const { label } = FIELDS[name]
  const { fingerprint, measure, uses } = field
  const [exceeded = [], within = []] = [uses.filter(({ isOver }) => isOver), uses.filter(({ isOver }) => !isOver)]
  const limits = `Limits of ${pluralized(within.flatMap(({ apps }) => apps).length, 'app')}`
  return (
    <div class="field">
      <label for={name} safe>
        {label}
      </label>
      <Control name={name} field={field} />
      <div id={`${name}-limits`} class="measure hint">
        <input type="hidden" name={`was-${name}`} value={escapeHtml(fingerprint)} />
        <Text id={`${name}-measure`} text={measure} />
        <Uses uses={exceeded} />
        <details class="limits">
          <summary aria-label={`${label}: ${limits}`} safe>
            {limits}
          </summary>
          <Uses uses={within} />
        </details>
      </div>
    </div>
  )
}

function Uses({ uses }: Pick<ShownField, 'uses'>) {
  return (
    <ul>
      {uses.map(({ text, isOver, apps }) => (
        <li class={isOver ? 'warning' : undefined}>
          <b safe>{apps.join(', ')}</b> {escapeHtml(text)}
        </li>
      ))}
    </ul>
  )
}

function Control({ name, field: { value, measure } }: FieldProps) {
  const { options } = FIELDS[name]
  const describedBy = measure === '' ? undefined : `${name}-measure`
  if (name === 'description') {
    return (
      <textarea id={name} name={name} rows="3" dir="auto" aria-describedby={describedBy} safe>
        {value}
      </textarea>
    )
  }
  if (options === undefined) {
    return <input id={name} name={name} value={escapeHtml(value)} dir="auto" aria-describedby={describedBy} />
  }
  const listed = value === '' || options.includes(value) ? options : [value, ...options]
  return (
    <select id={name} name={name}>
      <option value="">None</option>
      {listed.map((option) => (
        <option selected={option === value} safe>
          {option}
        </option>
      ))}
    </select>
  )
}
