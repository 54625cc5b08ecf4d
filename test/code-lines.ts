const IMPORT = /^import\b[\s\S]*?'[^']+'(?: with \{[^}]*\})?$/gm
const BLOCK_COMMENT = /^ *\{?\/\*[\s\S]*?\*\/\}?$/gm
const LINE_COMMENT = /^ *\/\/.*$/gm

/** The number of lines of source code that are neither blank nor in a comment or an import. */
export function codeLines(source: string): number {
  const code = source.replaceAll(IMPORT, '').replaceAll(BLOCK_COMMENT, '').replaceAll(LINE_COMMENT, '')
  return code.split('\n').filter((line) => line.trim() !== '').length
}
