import { join } from 'node:path'

/** A row of a table of docs/formats.md. */
export interface FormatField {
  path: string
  value: string
  /** What the field is without a value; undefined in the table of failures. */
  without?: string
}

export interface FormatSection {
  /** Everything above the tables. */
  intro: string
  response: FormatField[]
  failure: FormatField[]
}

const page = await Bun.file(join(import.meta.dir, '../../docs/formats.md')).text()

/** The sections of docs/formats.md, in order. */
export const FORMAT_SECTIONS = page
  .split(/^## /m)
  .slice(1)
  .map((section): FormatSection => {
    const [success = '', failure = ''] = section.split('\nOn failure:\n')
    return { intro: success.split('\n|', 1)[0]!, response: fieldsOf(success), failure: fieldsOf(failure) }
  })

function fieldsOf(text: string): FormatField[] {
  return [...text.matchAll(/^\| `(.+?)` .*$/gm)].map(([line, path]) => {
    const [, , value = '', without] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
    return { path: path!, value, ...(without && { without }) }
  })
}

/** The paths of the values in an object. `[]` stands for the first element of a list of objects; other lists are values. */
export function pathsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return isObject(value[0]) ? pathsOf(value[0], `${path}[]`) : [path]
  if (!isObject(value) || Object.keys(value).length === 0) return [path]
  return Object.entries(value).flatMap(([key, part]) => pathsOf(part, path === '' ? key : `${path}.${key}`))
}

/** The value at a path; undefined or null if a part of the path is. */
export function valueAt(object: unknown, path: string): unknown {
  return path
    .replaceAll('[]', '.0')
    .split('.')
    .reduce<unknown>((value, key) => (isObject(value) ? value[key] : value), object)
}

/**
 * The values that a cell may stand for, of a response of `GET /v1/metadata`: `always X`, a field, or several with "or else".
 * Undefined for a cell with other words.
 */
export function expectedValue(cell: string, metadata: unknown): { value: unknown } | undefined {
  const [, constant] = /^always `(.+)`$/.exec(cell) ?? []
  if (constant !== undefined)
    return { value: /^(null|\[\]|[01]|200)$/.test(constant) ? JSON.parse(constant) : constant }
  if (!/^(`[\w.]+`(, or else )?)+$/.test(cell)) return undefined
  const values = [...cell.matchAll(/`([\w.]+)`/g)].map(([, path]) => valueAt(metadata, path!))
  return { value: values.find((value) => value !== undefined) }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
