import { isPlaceholder } from './placeholder.ts'
import { collapsed, cut } from './text.ts'

/** Judges a value: what the field will hold, or undefined to have the next value tried. */
export type Accept = (value: string) => string | undefined

/** In UTF-16 units. Longer than any headline; a title that fills it is not one. */
export const MAX_TITLE_LENGTH = 1_000

/** A few paragraphs: some sites put a whole article into their description. */
export const MAX_DESCRIPTION_LENGTH = 5_000

/** Names, handles, types, locales and times are a line at most. */
export const MAX_LINE_LENGTH = 500

/** Text, cleaned and cut, that is neither blank nor a template nobody filled in. */
export function acceptText(maxLength: number): Accept {
  return (value) => {
    const text = collapsed(value)
    return text === '' || isPlaceholder(text) ? undefined : cut(text, maxLength)
  }
}

const acceptLine = acceptText(MAX_LINE_LENGTH)

/** A person's name: where it belongs, many pages have the address of a profile. */
export const acceptName: Accept = (value) => {
  const name = acceptLine(value)
  return name === undefined || /^(?:https?:)?\/\/|^www\./i.test(name) ? undefined : name
}
