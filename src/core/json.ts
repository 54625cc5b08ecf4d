import { attempt } from './attempt.ts'

/** The value of a JSON text; undefined if it is invalid. Never throws, because the parser's errors quote the text. */
export function parsedJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  return attempt(() => parse(text))
}

/** Whether a value of JSON is an object, and not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
