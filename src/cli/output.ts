import { once } from 'node:events'

import { EXIT } from './command.ts'

// Output of commands on stdout: text for people, JSON for programs.

/**
 * Exits the process when stdout cannot be written: with exit code 0 when the reader has closed the pipe, as `head` does;
 * otherwise, for example on a full disk, with exit code 1 and one line on stderr.
 */
export function exitOnOutputError() {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.success)
    process.stderr.write(`urlmeta: Cannot write to standard output: ${error.message}\n`)
    process.exit(EXIT.failure)
  })
  // An error of stderr cannot be reported; the exit code still shows whether the command succeeded.
  process.stderr.on('error', () => {})
}

export function print(text: string) {
  process.stdout.write(`${text}\n`)
}

/** Prints, and waits until the reader has caught up, so that output does not accumulate in memory. */
export async function printAndWait(text: string) {
  if (!process.stdout.write(`${text}\n`)) await once(process.stdout, 'drain')
}

/** One line of JSON. */
export function printJson(value: unknown) {
  print(JSON.stringify(value))
}

/** The result of a command: the value with `--json`, otherwise the text. */
export function printResult(json: true | undefined, value: unknown, text: string) {
  if (json) printJson(value)
  else print(text)
}

/** Replaces control characters, so that untrusted text can neither move the cursor nor forge a line. */
export function printable(line: string): string {
  return line.replace(/[\p{Cc}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu, '\u{fffd}')
}

/** Formats rows as a table, '' for none. The property names of the first row are the column headings. */
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
export function utcText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
}

/** `4.2 s`. */
export function secondsText(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
