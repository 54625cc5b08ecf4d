import { escapeHtml, type PropsWithChildren } from '@kitajs/html'

import { Hint, Text } from './text.tsx'
import { Icon } from './icon.tsx'

export interface PostFormProps {
  action: string
  csrf: string
  /** The accessible name of the form. */
  label?: string
  class?: string
  /** The button's text while the form is being submitted. */
  busy?: string
}

/** A POST form with a CSRF token. */
export function PostForm(props: PropsWithChildren<PostFormProps>) {
  const { action, csrf, label, busy, class: className, children } = props
  return (
    <form method="post" action={escapeHtml(action)} class={className} aria-label={label} data-busy={busy}>
      {csrf !== '' && <input type="hidden" name="csrf" value={escapeHtml(csrf)} />}
      {children as 'safe'}
    </form>
  )
}

export interface TextFieldProps {
  name: string
  label: string
  value: string
  /** Shown below the field; '' for none. */
  error?: string
  hint?: string
  /** `lines` for several lines of text. */
  type?: 'text' | 'url' | 'search' | 'email' | 'date' | 'lines'
  inputMode?: 'url' | 'numeric' | 'email' | 'text'
  placeholder?: string
  maxLength?: number | undefined
  isRequired?: boolean
  /** Whether the text may be in a language that is written from right to left. */
  isProse?: boolean
  /**
   * Whether the field is focused when the page opens; for one field of a page. The first field with an error is
   * focused too.
   */
  isFocused?: boolean
}

/** A field for text with its label, hint and error. Ids derive from the name, so a name must be unique on a page. */
export function TextField({ error = '', hint = '', type = 'text', isRequired = false, ...field }: TextFieldProps) {
  const described = [hint && `${field.name}-hint`, error && `${field.name}-error`].filter(Boolean).join(' ')
  const attributes = {
    id: field.name,
    name: field.name,
    spellcheck: 'false',
    autofocus: field.isFocused || error !== '',
    'aria-invalid': error === '' ? undefined : 'true',
    'aria-describedby': described || undefined,
  } as const
  return (
    <div class="field">
      <label for={field.name} safe>
        {field.label}
      </label>
      {type === 'lines' ? (
        <textarea {...attributes} rows="3" safe>
          {field.value}
        </textarea>
      ) : (
        <input
          {...attributes}
          type={type}
          value={escapeHtml(field.value)}
          placeholder={field.placeholder}
          maxlength={field.maxLength}
          inputmode={field.inputMode}
          autocomplete="off"
          required={isRequired}
          dir={field.isProse ? 'auto' : undefined}
        />
      )}
      <Text class="error" id={`${field.name}-error`} text={error} />
      <Hint text={hint} id={`${field.name}-hint`} />
    </div>
  )
}

/** Why a form was refused as a whole; '' shows nothing. */
export function FormError({ text }: { text: string }) {
  if (text === '') return null
  return (
    <p class="notice bad" role="alert">
      <Icon name="x" /> {escapeHtml(text)}
    </p>
  )
}

export interface SelectProps {
  name: string
  label: string
  value: string
  /** The value and text of each option. */
  options: readonly (readonly string[])[]
}

/** A select with a visually hidden label. A value that is not an option, such as one no longer logged, is added. */
export function Select({ name, label, value, options }: SelectProps) {
  const isKnown = options.some(([option]) => option === value)
  return (
    <>
      <label for={name} class="visually-hidden" safe>
        {label}
      </label>
      <select id={name} name={name}>
        <Options value={value} options={isKnown ? options : [...options, [value, value]]} />
      </select>
    </>
  )
}

/** The options of a select. */
export function Options({ value, options }: Pick<SelectProps, 'value' | 'options'>) {
  return (
    <>
      {options.map(([option = '', text = '']) => (
        <option value={escapeHtml(option)} selected={option === value} safe>
          {text}
        </option>
      ))}
    </>
  )
}

export interface ConfirmProps {
  action: string
  csrf: string
  /** The text of the button that opens the confirmation: `Deactivate`. */
  label: string
  /** Completes the label for screen readers: `key ci`. */
  subject: string
  question: string
  /** The text of the button that confirms, such as `Deactivate permanently`; the same as `label` if omitted. */
  confirm?: string
}

/** A button with a confirmation, which works without scripts. Children are additional hidden fields. */
export function Confirm(props: PropsWithChildren<ConfirmProps>) {
  const { action, csrf, label, subject, question, confirm = label, children } = props
  return (
    <details class="confirm">
      <summary class="button small">
        <span safe>{label}</span>{' '}
        <bdi class="visually-hidden" safe>
          {subject}
        </bdi>
      </summary>
      <PostForm action={action} csrf={csrf} class="pop">
        {children as 'safe'}
        <p safe>{question}</p>
        <button class="button danger" safe>
          {confirm}
        </button>
      </PostForm>
    </details>
  )
}
