import { createHash } from 'node:crypto'

import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { isRecord, parsedJson } from '../../core/json.ts'
import { EXPORT_FORMAT, type ExportEnd, type ExportHeader, SCHEMA } from './export.ts'
import { EXPORTED_TABLES, type ExportedTable, type Row } from './tables.ts'

/** The longest row is a shared result, whose line has up to 200,000 characters. */
export const MAX_LINE_CHARACTERS = 1_000_000

/** A parsed line, which may be invalid: the properties of every kind of line. */
type Line = Partial<ExportHeader & ExportEnd & { table: string; row: Row }>

interface ExportedRow {
  table: ExportedTable
  row: Row
}

/**
 * Reads the rows of an export, whose text arrives in parts.
 * @throws Error with the number of the invalid line; after the last row, if the text is incomplete or was modified
 */
export async function* readExport(text: AsyncIterable<string>): AsyncGenerator<ExportedRow> {
  const hash = createHash('sha256')
  const counts = Object.fromEntries(EXPORTED_TABLES.map(({ name }) => [name, 0]))
  let number = 0
  let isComplete = false
  for await (const line of linesOf(text)) {
    number++
    const fail = (why: string) => new Error(`line ${number} ${why}`)
    if (isComplete) throw fail('follows the last line of the export')
    const parsed = parsedJson(line)
    if (!isRecord(parsed)) throw fail('is not a JSON object')
    const value: Line = parsed
    if (value.sha256 !== undefined) {
      if (value.sha256 !== hash.digest('hex')) throw fail('has another checksum than the lines before it')
      if (!Bun.deepEquals(value.rows, counts)) throw fail('has other numbers of rows than the lines before it')
      isComplete = true
      continue
    }
    hash.update(`${line}\n`)
    if (number === 1) requireHeader(value)
    else {
      const exported = rowOf(value, fail)
      counts[exported.table.name]!++
      yield exported
    }
  }
  if (!isComplete) throw new Error(`the export is incomplete: it ends after line ${number}`)
}

async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  let number = 1
  for await (const part of text) {
    const lines = part.split('\n')
    lines[0] = rest + lines[0]!
    const tooLong = lines.findIndex(({ length }) => length > MAX_LINE_CHARACTERS)
    if (tooLong !== -1) throw new Error(`line ${number + tooLong} is longer than ${MAX_LINE_CHARACTERS} characters`)
    rest = lines.pop()!
    yield* lines
    number += lines.length
  }
  if (rest !== '') throw new Error(`the export is incomplete: it ends in line ${number}`)
}

/** @throws Error if this version cannot read the lines that follow */
function requireHeader({ urlmeta_export: format, version, schema }: Line): void {
  if (format === undefined) throw new Error('this is not an export of urlmeta')
  if (format !== EXPORT_FORMAT) {
    throw new Error(`the format of the export is ${quoted(format)}; this version reads ${EXPORT_FORMAT}`)
  }
  if (schema !== SCHEMA) {
    throw new Error(
      `the export has the schema ${quoted(schema)} of urlmeta ${quoted(version)}; this version has "${SCHEMA}"`,
    )
  }
}

/** @throws Error if the table is unknown, or if the row does not have its columns */
function rowOf({ table: name, row }: Line, fail: (why: string) => Error): ExportedRow {
  const table = EXPORTED_TABLES.find((one) => one.name === name)
  if (table === undefined) throw fail(`has no known table: ${quoted(name)}`)
  const failOfTable = (why: string) => fail(`is no row of ${table.name}: ${why}`)
  if (typeof row !== 'object' || row === null) throw failOfTable('it has no object "row"')
  const unknown = Object.keys(row).find((one) => table.columns.every((column) => column.name !== one))
  if (unknown !== undefined) throw failOfTable(`there is no column ${quoted(unknown)}`)
  for (const { name: one, dataType, notNull } of table.columns) {
    if (!(one in row)) throw failOfTable(`"${one}" is missing`)
    const { text, includes } = VALUES[dataType]!
    if (row[one] === null ? notNull : !includes(row[one])) throw failOfTable(`"${one}" must be ${text}`)
  }
  return { table, row }
}

/**
 * The valid values of a column, by its type. Other rules, such as the names of plans, are not checked, because the
 * databases do not check them either.
 */
const VALUES: Partial<Record<SQLiteColumn['dataType'], { text: string; includes: (value: unknown) => boolean }>> = {
  string: { text: 'text', includes: (value) => typeof value === 'string' },
  number: { text: 'an integer', includes: Number.isSafeInteger },
  boolean: { text: 'true or false', includes: (value) => typeof value === 'boolean' },
  json: { text: 'a list of texts', includes: (value) => Array.isArray(value) && value.every(VALUES.string!.includes) },
}

/** Longer values are truncated in error messages. */
const MAX_QUOTED_CHARACTERS = 80

/** A value as JSON, for an error message. */
function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing'
  return text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS)}…` : text
}
