import { AppError } from './errors.ts'

/** The longest name of a key, which bounds what lists have to show. */
export const MAX_KEY_NAME_CHARACTERS = 100

/**
 * Control characters, line breaks and bidirectional formatting: they can break a terminal or reorder the text around the
 * name.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** Any visible character; the blank Braille cell is a symbol that is not visible. */
const VISIBLE = /[^\p{Z}\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

/** A key's name. @throws AppError `invalid_request` */
export function parseKeyName(text: string): string {
  const name = text.trim()
  if (!name || name.length > MAX_KEY_NAME_CHARACTERS) {
    throw new AppError('invalid_request', `A key's name has 1 to ${MAX_KEY_NAME_CHARACTERS} characters`)
  }
  if (UNPRINTABLE.test(name) || !VISIBLE.test(name)) {
    throw new AppError('invalid_request', "A key's name has visible characters, and no control characters")
  }
  return name
}

/** Few people's names are longer; it bounds what pages, lists and the database hold. */
const MAX_DISPLAY_NAME_CHARACTERS = 100

/**
 * A person's name as another party tells it: cut to a length, without what a key's name may not have; null when nothing
 * is left.
 */
export function displayNameOf(text: string | null, maxCharacters = MAX_DISPLAY_NAME_CHARACTERS): string | null {
  const printable = (text ?? '').replace(new RegExp(UNPRINTABLE, 'gu'), '').trim()
  // By code points, so that no surrogate pair is cut in half.
  const name = [...printable].slice(0, maxCharacters).join('').trimEnd()
  return VISIBLE.test(name) ? name : null
}
