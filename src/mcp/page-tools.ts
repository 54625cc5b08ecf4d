import { AppError } from '../core/errors.ts'
import { type ExtraName, extraRule, parseExtraNames } from '../core/extract/fields/extra.ts'
import { FETCH_TIMEOUT_MS, FETCH_TIMEOUT_RULE, MAX_URL_CHARACTERS, parseFetchTimeout } from '../core/limits.ts'
import { ACCEPT_LANGUAGE_RULE, MAX_LANGUAGE_CHARACTERS, parseAcceptLanguage } from '../core/net/language.ts'
import { ORIGIN_OF_VALUES, type ToolArguments, type Tool } from './protocol.ts'
import TOOLS from './page-tools.json'

/** The values of the arguments. Those that a tool does not have are at their defaults. */
export interface PageRequest {
  url: string
  timeoutMs: number
  language: string | undefined
  /** Null if the result has no `extra`. */
  fields: readonly ExtraName[] | null
}

interface PageToolDeps {
  /** The JSON Schema of a result. */
  outputSchema: object
  /** @throws AppError */
  call: (request: PageRequest, signal: AbortSignal) => Promise<object>
}

/**
 * The tools, all of which are about the page at a URL, in the order of the table.
 * @param extraNames the fields of `extra` that may be requested
 */
export function pageTools(
  extraNames: readonly ExtraName[],
  deps: Readonly<Record<keyof typeof TOOLS, PageToolDeps>>,
): Tool[] {
  const schemas: Readonly<Record<string, object>> = {
    url: { type: 'string', maxLength: MAX_URL_CHARACTERS, description: 'Begins with http:// or https://' },
    timeout: { type: 'integer', ...FETCH_TIMEOUT_MS, description: 'How long the fetch may take, in milliseconds' },
    language: { type: 'string', maxLength: MAX_LANGUAGE_CHARACTERS, description: 'Such as de-CH,de;q=0.9' },
    fields: { type: 'array', items: { type: 'string', enum: extraNames }, description: 'Fields of the object `extra`' },
  }
  const picked = (names: string[], from: ToolArguments) => Object.fromEntries(names.map((name) => [name, from[name]]))
  return (Object.keys(TOOLS) as (keyof typeof TOOLS)[]).map((name) => {
    const { title, description, arguments: names } = TOOLS[name]
    const { outputSchema, call } = deps[name]
    return {
      name,
      title,
      description: `${description} ${ORIGIN_OF_VALUES}`,
      inputSchema: { type: 'object', properties: picked(names, schemas), required: ['url'] },
      outputSchema,
      annotations: { readOnlyHint: true, openWorldHint: true },
      call: (given, signal) => call(requestOf(picked(names, given), extraNames), signal),
    }
  })
}

/** @throws AppError `invalid_request` */
function requestOf(given: ToolArguments, extraNames: readonly ExtraName[]): PageRequest {
  const { url, timeout = FETCH_TIMEOUT_MS.default, language, fields = [] } = given
  if (typeof url !== 'string') throw invalid('url must be a string')
  const timeoutMs = parseFetchTimeout(textOf(timeout))
  if (timeoutMs === null) throw invalid(`timeout must be ${FETCH_TIMEOUT_RULE}`)
  if (language !== undefined && (typeof language !== 'string' || parseAcceptLanguage(language) === null)) {
    throw invalid(`language must be ${ACCEPT_LANGUAGE_RULE}`)
  }
  const asksNone = Array.isArray(fields) && fields.length === 0
  const names = asksNone ? null : parseExtraNames([fields].flat().map(textOf).join(), extraNames)
  if (!asksNone && names === null) throw invalid(`fields must be ${extraRule(extraNames)}`)
  return { url, timeoutMs, language, fields: names }
}

/** A string or number as text; '' for other values. */
const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

const invalid = (message: string) => new AppError('invalid_request', message)
