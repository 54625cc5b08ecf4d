import { Html, type PropsWithChildren } from '@elysiajs/html'

export interface PostFormProps {
  action: string
  csrf: string
  /** Names the form for those who do not see what is around it. */
  label?: string
  class?: string
  /** What the button says while the answer is awaited. */
  busy?: string
}

/** A form that changes something, and so carries the token that only this visitor's pages have. */
export function PostForm({ action, csrf, label, busy, class: className, children }: PropsWithChildren<PostFormProps>) {
  return (
    <form method="post" action={Html.escapeHtml(action)} class={className} aria-label={label} data-busy={busy}>
      {csrf !== '' && <input type="hidden" name="csrf" value={Html.escapeHtml(csrf)} />}
      {children as 'safe'}
    </form>
  )
}

export interface TextFieldProps {
  name: string
  label: string
  value: string
  /** Shown beside the field; '' is none. */
  error?: string
  hint?: string
  type?: 'text' | 'url' | 'search' | 'email'
  inputMode?: 'url' | 'numeric' | 'email' | 'text'
  placeholder?: string
  maxLength?: number
  isRequired?: boolean
  autocomplete?: string
}

/** One line of text with its label, hint and error. Ids come from the name, so a name stands once on a page. */
export function TextField({ error = '', hint = '', type = 'text', isRequired = false, ...field }: TextFieldProps) {
  const described = [hint && `${field.name}-hint`, error && `${field.name}-error`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={field.name} safe>
        {field.label}
      </label>
      <input
        id={field.name}
        name={field.name}
        type={type}
        value={Html.escapeHtml(field.value)}
        placeholder={field.placeholder}
        maxlength={field.maxLength}
        inputmode={field.inputMode}
        autocomplete={field.autocomplete ?? 'off'}
        spellcheck="false"
        required={isRequired}
        aria-invalid={error === '' ? undefined : 'true'}
        aria-describedby={described || undefined}
      />
      {error !== '' && (
        <p class="error" id={`${field.name}-error`} safe>
          {error}
        </p>
      )}
      {hint !== '' && (
        <p class="hint" id={`${field.name}-hint`} safe>
          {hint}
        </p>
      )}
    </div>
  )
}

export interface ConfirmProps {
  action: string
  csrf: string
  /** On the control that opens the question: `Deactivate`. */
  label: string
  /** What the control is about, for those who hear it alone: `key ci`. */
  subject: string
  question: string
  /** On the button that does it: `Deactivate for good`. */
  confirm: string
}

/** A button that asks once more, without a script; hidden fields go inside. */
export function Confirm({
  action,
  csrf,
  label,
  subject,
  question,
  confirm,
  children,
}: PropsWithChildren<ConfirmProps>) {
  return (
    <details class="confirm">
      <summary class="button small">
        <span safe>{label}</span>{' '}
        <span class="unseen" safe>
          {subject}
        </span>
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
