/** A cell that a spreadsheet would read as a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r]/

/** Rows as CSV (RFC 4180), with a header line. Formulas are prefixed with an apostrophe, which spreadsheets hide. */
export function csvOf(columns: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  return [columns, ...rows].map((row) => row.map(cell).join(',') + '\r\n').join('')
}

function cell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
