import { AppError } from '../errors.ts'

/** Bounds the length of names in lists. */
export const MAX_KEY_NAME_CHARACTERS = 100

/** Control characters, line breaks and bidirectional formatting can corrupt a terminal or reorder other text. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** Any visible character; excludes the blank Braille pattern (U+2800). */
const VISIBLE = /[^\p{Z}\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Returns the trimmed name. @throws AppError `invalid_request` */
export function parseKeyName(text: string): string {
  const name = text.trim()
  if (!name || name.length > MAX_KEY_NAME_CHARACTERS) {
    throw new AppError('invalid_request', `A key's name must have 1 to ${MAX_KEY_NAME_CHARACTERS} characters`)
  }
  if (UNPRINTABLE.test(name) || !VISIBLE.test(name)) {
    throw new AppError('invalid_request', "A key's name must have visible characters and no control characters")
  }
  return name
}

/** Bounds stored and displayed names. Few names are longer. */
const MAX_DISPLAY_NAME_CHARACTERS = 100

/** Truncates a name from an identity provider, and removes unprintable characters; null if no visible character is left. */
export function displayNameOf(text: string | null, maxCharacters = MAX_DISPLAY_NAME_CHARACTERS): string | null {
  const printable = (text ?? '').replace(new RegExp(UNPRINTABLE, 'gu'), '').trim()
  // By code points, so that no surrogate pair is cut in half.
  const name = [...printable].slice(0, maxCharacters).join('').trimEnd()
  return VISIBLE.test(name) ? name : null
}
