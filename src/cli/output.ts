import { once } from 'node:events'
import { styleText } from 'node:util'

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

/**
 * Replaces control characters, so that untrusted text can neither move the cursor nor forge a line; characters that XML
 * cannot contain; and the start of `##vso[` and `##[`, which Azure Pipelines and GitHub Actions execute anywhere in a
 * line.
 */
export function printable(line: string): string {
  return line.replace(/[\p{Cc}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{fffe}\u{ffff}]|##(?=(?:vso)?\[)/gu, '\u{fffd}')
}

const COLUMN_GAP = '  '

/**
 * Formats rows as a table, '' for none. The property names of the first row are the column headings, which `hasHead`
 * can leave out. On a terminal that is too narrow for the table, each row is a block with one line per column, so that
 * nothing is cut or wrapped.
 */
export function table(rows: readonly Record<string, string>[], terminal = process.stdout, hasHead = true): string {
  if (rows.length === 0) return ''
  const names = Object.keys(rows[0]!)
  const headings = names.map((name) => name.toUpperCase())
  const bold = (text: string) => styleText('bold', text, { stream: terminal })
  const cells = rows.map((row) => names.map((name) => printable(row[name] ?? '')))
  const widthOf = (texts: readonly string[]) => Math.max(...texts.map((text) => Bun.stringWidth(text)))
  const padded = (text: string, width: number) => text + ' '.repeat(width - Bun.stringWidth(text))

  const widths = headings.map((heading, column) => widthOf([heading, ...cells.map((row) => row[column]!)]))
  const width = widths.reduce((sum, each) => sum + COLUMN_GAP.length + each, -COLUMN_GAP.length)
  // The number is 0 on terminals of unknown width, and undefined on everything else.
  if (terminal.columns && width > terminal.columns) {
    const labelWidth = widthOf(headings)
    const labels = headings.map((heading) => bold(padded(heading, labelWidth)))
    return cells.map((row) => row.map((cell, i) => `${labels[i]}${COLUMN_GAP}${cell}`).join('\n')).join('\n\n')
  }
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => padded(cell, widths[i]!))
      .join(COLUMN_GAP)
      .trimEnd()
  return [...(hasHead ? [bold(line(headings))] : []), ...cells.map(line)].join('\n')
}

/** `2026-11-20 12:00`, UTC. */
export function utcText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
}

/** `4.2 s`. */
export function secondsText(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
