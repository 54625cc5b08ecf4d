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

/** The request in five languages, one of which is visible. The key comes from the environment. */
export function CodeExamples({ request }: { request: ExampleRequest }) {
  const example = request.url.length > MAX_URL_CHARACTERS ? { ...request, url: EXAMPLE_URL } : request
  return (
    <CodeTabs name="language" legend="Language" tabs={LANGUAGES.map((tab) => ({ ...tab, code: tab.write(example) }))} />
  )
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

const LANGUAGES = [
  { id: 'curl', label: 'curl', write: inCurl },
  { id: 'typescript', label: 'TypeScript', write: inTypeScript },
  { id: 'python', label: 'Python', write: inPython },
  { id: 'go', label: 'Go', write: inGo },
  { id: 'php', label: 'PHP', write: inPhp },
]

function parametersOf({ url, timeoutMs, isFresh }: ExampleRequest): [name: string, value: string][] {
  const timeout = timeoutMs !== null && { timeout: String(timeoutMs) }
  return Object.entries({ url, ...timeout, ...(isFresh && { cache: 'false' }) })
}

/** A string literal: JSON escapes are valid in JavaScript, Python and Go. */
const quoted = (text: string) => JSON.stringify(text)

/** Escapes all characters that are special to a shell, because a link can prefill the playground with any URL. */
function shellSafe(text: string): string {
  const hex = (sign: string) => sign.charCodeAt(0).toString(16).toUpperCase()
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${hex(sign)}`)
}

function inCurl(request: ExampleRequest): string {
  const query = parametersOf(request).map(([name, value]) => `${name}=${shellSafe(value)}`)
  return `curl -H "X-API-Key: $URLMETA_KEY" \\\n  "${request.baseUrl}/v1/metadata?${query.join('&')}"`
}

function inTypeScript(request: ExampleRequest): string {
  const query = parametersOf(request).map(([name, value]) => `${name}: ${quoted(value)}`)
  return `const query = new URLSearchParams({ ${query.join(', ')} })
const response = await fetch(\`${request.baseUrl}/v1/metadata?\${query}\`, {
  headers: { 'X-API-Key': process.env.URLMETA_KEY! },
})
const result = await response.json()
if (!response.ok) throw new Error(result.error)
console.log(result.title)`
}

function inPython(request: ExampleRequest): string {
  const query = parametersOf(request).map(([name, value]) => `${quoted(name)}: ${quoted(value)}`)
  return `import os, requests

response = requests.get(
    "${request.baseUrl}/v1/metadata",
    params={${query.join(', ')}},
    headers={"X-API-Key": os.environ["URLMETA_KEY"]},
    timeout=20,
)
result = response.json()
if not response.ok:
    raise RuntimeError(result["error"])
print(result.get("title"))`
}

function inGo(request: ExampleRequest): string {
  const query = parametersOf(request).map(([name, value]) => `${quoted(name)}: {${quoted(value)}}`)
  return `query := url.Values{${query.join(', ')}}
request, _ := http.NewRequest("GET", "${request.baseUrl}/v1/metadata?"+query.Encode(), nil)
request.Header.Set("X-API-Key", os.Getenv("URLMETA_KEY"))
response, err := http.DefaultClient.Do(request)
if err != nil {
	log.Fatal(err)
}
defer response.Body.Close()
var result struct{ Title, Description, Image, Error string }
if err := json.NewDecoder(response.Body).Decode(&result); err != nil {
	log.Fatal(err)
}
fmt.Println(result.Title, result.Error)`
}

function inPhp(request: ExampleRequest): string {
  const literal = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
  const query = parametersOf(request).map(([name, value]) => `${literal(name)} => ${literal(value)}`)
  return `$query = http_build_query([${query.join(', ')}]);
$context = stream_context_create(['http' => [
    'header' => 'X-API-Key: ' . getenv('URLMETA_KEY'),
    'ignore_errors' => true,
]]);
$json = file_get_contents("${request.baseUrl}/v1/metadata?$query", false, $context);
$result = json_decode($json, true);
echo $result['title'] ?? $result['error'];`
}
