import { beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'

import { MAX_LINE_CHARACTERS, readExport } from '../../../src/store/transfer/read-export.ts'
import { exportedLines, sampleDatabase } from './sample-export.ts'

type Lines = readonly string[]

let lines: Lines = []
beforeAll(async () => void (lines = await exportedLines(sampleDatabase())))

/** Reads a text that arrives in parts of this many characters. */
async function read(text: string, size = 1_000) {
  const rows = await Array.fromAsync(readExport(partsOf(text, size)))
  return rows.map(({ table, row }) => ({ table: table.name, row }))
}

async function* partsOf(text: string, size: number) {
  for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size)
}

const textOf = (changed: Lines) => changed.map((line) => `${line}\n`).join('')

/** Changes a line, by its number. */
const edited = (number: number, pattern: string | RegExp, replacement: string) => (all: Lines) =>
  all.map((line, i) => (i === number - 1 ? line.replace(pattern, replacement) : line))

/** A last line with the right checksum of the lines before it. */
function closed(all: Lines, rows: unknown): Lines {
  const sha256 = createHash('sha256').update(textOf(all)).digest('hex')
  return [...all, JSON.stringify({ rows, sha256 })]
}

describe('the rows of an export', () => {
  test.each([1, 7, 1_000, 1_000_000])('are read from parts of %d characters', async (size) => {
    const rows = lines.slice(1, -1).map((line) => JSON.parse(line) as { table: string; row: object })
    expect(rows.length).toBeGreaterThan(14)
    expect<object[]>(await read(textOf(lines), size)).toEqual(rows)
  })

  test('may have lines of the maximum length, and not longer ones', async () => {
    const row = (characters: number) => {
      const [before, after] = [
        '{"table":"tickets","row":{"hash":"',
        '","payload":"","expires_at":1,"invited_by":null}}',
      ]
      return before + 'h'.repeat(characters - before.length - after.length) + after
    }
    const counts = { ...(JSON.parse(lines.at(-1)!) as { rows: object }).rows }
    const none = Object.fromEntries(Object.keys(counts).map((name) => [name, 0]))
    const longest = closed([lines[0]!, row(MAX_LINE_CHARACTERS)], { ...none, tickets: 1 })
    expect(await read(textOf(longest))).toHaveLength(1)
    const longer = closed([lines[0]!, row(MAX_LINE_CHARACTERS + 1)], { ...none, tickets: 1 })
    for (const size of [1_000, 10_000_000])
      await expect(read(textOf(longer), size)).rejects.toThrow('line 2 is longer than 1000000 characters')
  })

  test('are not collected in memory while a line does not end', async () => {
    let parts = 0
    async function* endless() {
      for (;;) {
        parts++
        yield 'x'.repeat(100_000)
      }
    }
    await expect(Array.fromAsync(readExport(endless()))).rejects.toThrow('line 1 is longer than 1000000 characters')
    expect(parts).toBe(11)
  })
})

test.each<[name: string, change: (all: Lines) => Lines, message: string]>([
  ['is empty', () => [], 'the export is incomplete: it ends after line 0'],
  ['has no last line', (all) => all.slice(0, -1), 'the export is incomplete: it ends after line 20'],
  ['has only a header', (all) => all.slice(0, 1), 'the export is incomplete: it ends after line 1'],
  ['is another file', () => ['{"name":"urlmeta"}'], 'this is not an export of urlmeta'],
  ['is no JSON', () => ['SQLite format 3'], 'line 1 is not a JSON object'],
  ['is a list', () => ['[]'], 'line 1 is not a JSON object'],
  ['is null', () => ['null'], 'line 1 is not a JSON object'],
  ['has a newer format', edited(1, ':1,', ':2,'), 'the format of the export is 2; this version reads 1'],
  [
    'has another schema',
    edited(1, '0008_request_ids', '0009_more'),
    'the export has the schema "0009_more" of urlmeta "1.2.3"; this version has "0008_request_ids"',
  ],
  ['has no schema', edited(1, '"schema"', '"schemes"'), 'the export has the schema missing of urlmeta "1.2.3"'],
  ['lacks a row', (all) => all.toSpliced(2, 1), 'line 20 has another checksum than the lines before it'],
  ['has a row twice', (all) => all.toSpliced(2, 0, all[2]!), 'line 22 has another checksum than the lines before it'],
  ['has rows in another order', (all) => all.with(1, all[2]!).with(2, all[1]!), 'line 21 has another checksum'],
  ['has a changed value', edited(2, '"starter"', '"business"'), 'line 21 has another checksum'],
  ['has a changed time of the export', edited(1, '2026-11-20', '2026-11-19'), 'line 21 has another checksum'],
  ['has another checksum', edited(21, /"sha256":"./, '"sha256":"x'), 'line 21 has another checksum'],
  ['has another number of rows', edited(21, '"users":2', '"users":3'), 'line 21 has other numbers of rows'],
  ['has numbers of fewer tables', edited(21, '"users":2,', ''), 'line 21 has other numbers of rows'],
  ['goes on after its end', (all) => [...all, all[2]!], 'line 22 follows the last line of the export'],
  ['has an empty line', (all) => all.toSpliced(3, 0, ''), 'line 4 is not a JSON object'],
  ['has an empty line after its end', (all) => [...all, ''], 'line 22 follows the last line of the export'],
  ['has a line that was cut', edited(2, /.{9}$/, ''), 'line 2 is not a JSON object'],
  ['has an unknown table', edited(2, '"users"', '"people"'), 'line 2 has no known table: "people"'],
  ['has a table that is not exported', edited(2, '"users"', '"probe"'), 'line 2 has no known table: "probe"'],
  ['has no table', edited(2, '"table"', '"tables"'), 'line 2 has no known table: missing'],
  ['has a second header', (all) => all.toSpliced(1, 0, all[0]!), 'line 2 has no known table: missing'],
  ['has no row', edited(2, '"row"', '"rows"'), 'line 2 is no row of users: it has no object "row"'],
  ['has a row of null', edited(2, /"row":.*/, '"row":null}'), 'line 2 is no row of users: it has no object "row"'],
  ['has a column more', edited(2, '{"id"', '{"age":1,"id"'), 'line 2 is no row of users: there is no column "age"'],
  [
    'has a column with a long name',
    edited(2, '{"id"', `{"${'a'.repeat(100)}":1,"id"`),
    `line 2 is no row of users: there is no column "${'a'.repeat(79)}…`,
  ],
  ['has the property of another name', edited(2, '"created_at"', '"createdAtMs"'), 'there is no column "createdAtMs"'],
  ['lacks a column', edited(2, '"name":"Jo O\'Neil, ключ",', ''), 'line 2 is no row of users: "name" is missing'],
  ['has a number for text', edited(2, '"starter"', '7'), 'line 2 is no row of users: "plan" must be text'],
  ['has null for a number', edited(2, /"created_at":\d+/, '"created_at":null'), '"created_at" must be an integer'],
  ['has a fraction', edited(2, /"created_at":\d+/, '"created_at":1.5'), '"created_at" must be an integer'],
  [
    'has a number that is not exact',
    edited(2, /"created_at":\d+/, '"created_at":1e16'),
    '"created_at" must be an integer',
  ],
  [
    'has text for a number or null',
    edited(2, '"suspended_at":null', '"suspended_at":""'),
    '"suspended_at" must be an integer',
  ],
  ['has 1 for true', edited(2, '"logs_urls":true', '"logs_urls":1'), '"logs_urls" must be true or false'],
  [
    'has a number in a list',
    (all) => all.map((line) => line.replace('["example.com",', '[1,')),
    '"allowed_hosts" must be a list of texts',
  ],
  [
    'has text for a list',
    (all) => all.map((line) => line.replace('["example.com","*.example.org"]', '"example.com"')),
    '"allowed_hosts" must be a list of texts',
  ],
])('an export that %s is refused', async (_, change, message) => {
  const changed = change(lines)
  expect(changed).not.toEqual(lines)
  await expect(read(textOf(changed))).rejects.toThrow(message)
})

test('an export is refused wherever it ends', async () => {
  const text = textOf(lines)
  for (let length = 0; length < text.length; length += 13) {
    await expect(read(text.slice(0, length))).rejects.toThrow(/^the export is incomplete: it ends (after|in) line \d+$/)
  }
  await expect(read(text.slice(0, -1))).rejects.toThrow('the export is incomplete: it ends in line 21')
})
