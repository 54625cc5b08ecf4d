/**
 * Lower case of ASCII letters alone. `toLowerCase` also turns the Kelvin sign (U+212A) into `k`, so that two texts which
 * are different to everybody else would be the same here.
 */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
