/**
 * Lowercases ASCII letters only. `toLowerCase` also turns the Kelvin sign (U+212A) into `k`, so strings that other
 * software treats as different would become equal.
 */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
