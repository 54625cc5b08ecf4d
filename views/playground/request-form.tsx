import type { PropsWithChildren } from '@kitajs/html'

import type { InvalidForm, SubmittedForm } from '../../src/previews/service/playground-record.ts'
import type { MonthlyUsage } from '../../src/core/usage/ports.ts'
import { PostForm, TextField } from '../ui/form.tsx'
import { countText } from '../ui/number.ts'

/** The form as submitted, or as prefilled by a link. */
export type PlaygroundForm = SubmittedForm & Pick<InvalidForm, 'errors'>

export interface RequestFormProps {
  csrf: string
  form: PlaygroundForm
  defaultTimeoutMs: number
  /** The viewer's usage, including this request. */
  month: MonthlyUsage
  /** Whether the URL field is focused when the page opens. */
  isFocused: boolean
}

/** The options are closed if all have their default values. */
export function RequestForm({ csrf, form, defaultTimeoutMs, month, isFocused }: RequestFormProps) {
  const hasOptions =
    form.errors.timeout !== '' || form.isFresh || !['', String(defaultTimeoutMs)].includes(form.timeout)
  return (
    <UrlForm csrf={csrf} url={form.url} error={form.errors.url} isFocused={isFocused}>
      <div class="more">
        <details class="options" open={hasOptions}>
          <summary>Options</summary>
          <div>
            <TextField
              name="timeout"
              label="Timeout, ms"
              inputMode="numeric"
              value={form.timeout}
              error={form.errors.timeout}
              placeholder={String(defaultTimeoutMs)}
            />
            <p class="check">
              <input type="checkbox" id="fresh" name="fresh" value="true" checked={form.isFresh} />
              <label for="fresh">Bypass cache</label>
            </p>
          </div>
        </details>
        <p class="hint" safe>
          {`Successful requests count against your monthly limit: ${countText(month.used)} of ${countText(month.limits.perMonth)} used.`}
        </p>
      </div>
    </UrlForm>
  )
}

export interface UrlFormProps {
  csrf: string
  url: string
  error: string
  isFocused: boolean
}

/** Children are shown below the field and the button. */
export function UrlForm({ csrf, url, error, isFocused, children }: PropsWithChildren<UrlFormProps>) {
  return (
    <PostForm action="/playground" csrf={csrf} class="panel ask" label="Request" busy="Fetching…">
      <TextField
        name="url"
        label="URL"
        inputMode="url"
        value={url}
        error={error}
        placeholder="https://example.com/article"
        isRequired
        isFocused={isFocused}
      />
      <button class="button primary">Fetch</button>
      {children as 'safe'}
    </PostForm>
  )
}
