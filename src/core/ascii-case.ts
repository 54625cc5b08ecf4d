/** Lowercases ASCII letters only. `toLowerCase` makes the Kelvin sign (U+212A) a `k`, unlike other software. */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
