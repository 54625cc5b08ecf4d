import { EXIT } from './command.ts'

// What commands print on stdout: lines for people, JSON for programs.

/** Ends the process as soon as whoever reads its output has had enough, as `head` does. */
export function endWithReader() {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(EXIT.done)
  })
}

export function print(text: string) {
  process.stdout.write(`${text}\n`)
}

/** One line of JSON. */
export function printJson(value: unknown) {
  print(JSON.stringify(value))
}

/** Strangers write what they like: escape sequences in it must not move the cursor, nor line feeds forge a row. */
export function printable(line: string): string {
  return line.replace(/[\p{Cc}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu, '\u{fffd}')
}

/** Rows of the same shape, the keys of the first being the head. */
export function table(rows: readonly Record<string, string>[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const lines = [
    columns.map((name) => name.toUpperCase()),
    ...rows.map((row) => columns.map((name) => printable(row[name] ?? ''))),
  ]
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => Bun.stringWidth(line[column]!))))
  const pad = (cell: string, column: number) => cell + ' '.repeat(widths[column]! - Bun.stringWidth(cell))
  return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n')
}

/** `2026-11-20 12:00`, UTC. */
export function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
}
