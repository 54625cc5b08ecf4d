/**
 * Matches where a spreadsheet would read a text as a formula (OWASP, CSV injection), also with full-width characters.
 * Where the decimal separator is a comma, spreadsheets split lines at semicolons, even between quotation marks.
 */
const FORMULA = /(^|;)(?=\s*[=+\-@＝＋－＠])|^(?=[\t\r])/g

/** Rows as CSV (RFC 4180), with a header line. Formulas are prefixed with an apostrophe, which spreadsheets hide. */
export function csvOf(columns: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return [columns, ...rows].map((row) => row.map(cell).join(',') + '\r\n').join('')
}

function cell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = value.replace(FORMULA, "$1'")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
