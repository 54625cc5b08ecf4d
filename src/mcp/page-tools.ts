import { AppError } from '../core/errors.ts'
import { type ExtraName, extraRule, parseExtraNames } from '../core/extract/fields/extra.ts'
import { FETCH_TIMEOUT_MS, FETCH_TIMEOUT_RULE, MAX_URL_CHARACTERS, parseFetchTimeout } from '../core/limits.ts'
import { ACCEPT_LANGUAGE_RULE, MAX_LANGUAGE_CHARACTERS, parseAcceptLanguage } from '../core/net/language.ts'
import { ORIGIN_OF_VALUES, type ToolArguments, type Tool } from './protocol.ts'
import TOOLS from './page-tools.json'

/** The JSON Schema of a result of `check_page`. */
export { default as PAGE_CHECK_SCHEMA } from './page-check-schema.json'

/** The values of the arguments. Those that a tool does not have are at their defaults. */
export interface PageRequest {
  url: string
  timeoutMs: number
  language: string | undefined
  /** Null if the result has no `extra`. */
  fields: readonly ExtraName[] | null
  /** The ids of apps; [] for all. */
  apps: readonly string[]
}

/** The names that arguments may contain. */
interface PageToolNames {
  /** Fields of `extra`. */
  extra: readonly ExtraName[]
  /** Ids of apps. */
  apps: readonly string[]
}

interface PageToolDeps {
  /** The JSON Schema of a result. */
  outputSchema: object
  /** @throws AppError */
  call: (request: PageRequest, signal: AbortSignal) => Promise<object>
}

/** The tools, all of which are about the page at a URL, in the order of page-tools.json. */
export function pageTools(names: PageToolNames, deps: Readonly<Record<keyof typeof TOOLS, PageToolDeps>>): Tool[] {
  const { extra, apps } = names
  const schemas: Readonly<Record<string, object>> = {
    url: { type: 'string', maxLength: MAX_URL_CHARACTERS, description: 'Begins with http:// or https://' },
    timeout: { type: 'integer', ...FETCH_TIMEOUT_MS, description: 'How long the fetch may take, in milliseconds' },
    language: { type: 'string', maxLength: MAX_LANGUAGE_CHARACTERS, description: 'Such as de-CH,de;q=0.9' },
    fields: { type: 'array', items: { type: 'string', enum: extra }, description: 'Fields of the object `extra`' },
    apps: { type: 'array', items: { type: 'string', enum: apps }, description: 'Only these apps; all by default' },
  }
  const picked = (of: string[], from: ToolArguments) => Object.fromEntries(of.map((name) => [name, from[name]]))
  return (Object.keys(TOOLS) as (keyof typeof TOOLS)[]).map((name) => {
    const { title, description, arguments: given } = TOOLS[name]
    const { outputSchema, call } = deps[name]
    return {
      name,
      title,
      description: `${description} ${ORIGIN_OF_VALUES}`,
      inputSchema: { type: 'object', properties: picked(given, schemas), required: ['url'] },
      outputSchema,
      annotations: { readOnlyHint: true, openWorldHint: true },
      call: (values, signal) => call(requestOf(picked(given, values), names), signal),
    }
  })
}

/** @throws AppError `invalid_request` */
function requestOf(given: ToolArguments, { extra, apps: appNames }: PageToolNames): PageRequest {
  const { url, timeout = FETCH_TIMEOUT_MS.default, language, fields = [], apps = [] } = given
  if (typeof url !== 'string') throw invalid('url must be a string')
  const timeoutMs = parseFetchTimeout(textOf(timeout))
  if (timeoutMs === null) throw invalid(`timeout must be ${FETCH_TIMEOUT_RULE}`)
  if (language !== undefined && (typeof language !== 'string' || parseAcceptLanguage(language) === null)) {
    throw invalid(`language must be ${ACCEPT_LANGUAGE_RULE}`)
  }
  const asksNone = Array.isArray(fields) && fields.length === 0
  const names = asksNone ? null : parseExtraNames([fields].flat().map(textOf).join(), extra)
  if (!asksNone && names === null) throw invalid(`fields must be ${extraRule(extra)}`)
  const chosen = [apps].flat().map(textOf)
  if (!chosen.every((app) => appNames.includes(app))) throw invalid(`apps must be some of ${appNames.join(', ')}`)
  return { url, timeoutMs, language, fields: names, apps: chosen }
}

/** A string or number as text; '' for other values. */
const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

const invalid = (message: string) => new AppError('invalid_request', message)
