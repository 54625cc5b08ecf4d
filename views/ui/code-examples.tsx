import curl from '../examples/curl.txt' with { type: 'text' }
import go from '../examples/go.txt' with { type: 'text' }
import php from '../examples/php.txt' with { type: 'text' }
import python from '../examples/python.txt' with { type: 'text' }
import typescript from '../examples/typescript.txt' with { type: 'text' }
import { filled } from './filled.ts'
import { CodeBlock } from './code.tsx'

export const EXAMPLE_URL = 'https://example.com/article'

export interface ExampleRequest {
  baseUrl: string
  url: string
  /** Milliseconds; null omits the parameter. */
  timeoutMs: number | null
  isFresh: boolean
}

/** Each example repeats the URL, so a longer URL is replaced by a short one. */
const MAX_URL_CHARACTERS = 500

export const shownUrl = (url: string) => (url.length > MAX_URL_CHARACTERS ? EXAMPLE_URL : url)

/** The request in five languages, one of which is visible. The key comes from the environment. */
export function CodeExamples({ request }: { request: ExampleRequest }) {
  const example = { ...request, url: shownUrl(request.url) }
  const tabs = LANGUAGES.map(({ text, write, joint = ', ', ...tab }) => {
    const parameters = parametersOf(example).map(([name, value]) => write(name, value))
    return { ...tab, code: filled(text, { BASE_URL: example.baseUrl, QUERY: parameters.join(joint) }) }
  })
  return <CodeTabs name="language" legend="Language" tabs={tabs} />
}

/** `CodeExamples` with a note on the key. */
export function RequestCode({ request }: { request: ExampleRequest }) {
  return (
    <>
      <p class="muted">
        <code>URLMETA_KEY</code> holds one of your <a href="/keys">keys</a>.
      </p>
      <CodeExamples request={request} />
    </>
  )
}

export interface CodeTabsProps {
  /** The name of the radio buttons, under which the choice is remembered. */
  name: string
  legend: string
  tabs: readonly { id: string; label: string; code: string }[]
}

/** Only the code of the chosen language is visible. */
export function CodeTabs({ name, legend, tabs }: CodeTabsProps) {
  return (
    <fieldset class="langs" data-remember={name}>
      <legend class="visually-hidden" safe>
        {legend}
      </legend>
      {tabs.map(({ id, label, code }, index) => (
        <>
          <RadioTab group={name} id={id} value={id} label={label} isOpen={index === 0} />
          <CodeBlock code={code} />
        </>
      ))}
    </fieldset>
  )
}

export interface RadioTabProps {
  group: string
  id: string
  label: string
  value?: string
  isOpen?: boolean
}

/** The element after an open tab is visible. */
export function RadioTab({ group, id, label, value, isOpen = false }: RadioTabProps) {
  return (
    <>
      <input type="radio" name={group} id={`${group}-${id}`} value={value} checked={isOpen} />
      <label for={`${group}-${id}`} safe>
        {label}
      </label>
    </>
  )
}

export interface FirstRequestProps {
  baseUrl: string
  apiKey: string | null
  /** The origin of a page that may use the key; undefined for a key that works from anywhere. */
  pageOrigin?: string | undefined
}

/** A curl command; it reads the key from `$URLMETA_KEY` when none is given. */
export function FirstRequest({ baseUrl, apiKey, pageOrigin }: FirstRequestProps) {
  const headers = [`X-API-Key: ${apiKey ?? '$URLMETA_KEY'}`, ...(pageOrigin ? [`Origin: ${pageOrigin}`] : [])]
  const options = headers.map((header) => `-H "${header}"`).join(' ')
  const url = `${baseUrl}/v1/metadata?url=${encodeURIComponent('https://example.com')}`
  return <CodeBlock code={`curl ${options} \\\n  "${url}"`} />
}

interface Language {
  id: string
  label: string
  /** The request, with `<BASE_URL>` and `<QUERY>`. */
  text: string
  write: (name: string, value: string) => string
  /** Written between two parameters; a comma if omitted. */
  joint?: string
}

const LANGUAGES: readonly Language[] = [
  { id: 'curl', label: 'curl', text: curl, write: (name, value) => `${name}=${shellSafe(value)}`, joint: '&' },
  { id: 'typescript', label: 'TypeScript', text: typescript, write: (name, value) => `${name}: ${quoted(value)}` },
  { id: 'python', label: 'Python', text: python, write: (name, value) => `${quoted(name)}: ${quoted(value)}` },
  { id: 'go', label: 'Go', text: go, write: (name, value) => `${quoted(name)}: {${quoted(value)}}` },
  { id: 'php', label: 'PHP', text: php, write: (name, value) => `${literal(name)} => ${literal(value)}` },
]

function parametersOf({ url, timeoutMs, isFresh }: ExampleRequest): [name: string, value: string][] {
  const timeout = timeoutMs !== null && { timeout: String(timeoutMs) }
  return Object.entries({ url, ...timeout, ...(isFresh && { cache: 'false' }) })
}

/** A string literal: JSON escapes are valid in JavaScript, Python and Go. */
const quoted = (text: string) => JSON.stringify(text)

/** A string literal of PHP. */
const literal = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`

/** Escapes all characters that are special to a shell, because a link can prefill the playground with any URL. */
function shellSafe(text: string): string {
  const hex = (sign: string) => sign.charCodeAt(0).toString(16).toUpperCase()
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${hex(sign)}`)
}
