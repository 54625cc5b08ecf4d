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

/** What is an address and no name: a URL or a path. */
const ADDRESS = /^(?:[a-z][a-z\d+.-]*:\/\/|(?:mailto|tel|data|javascript|urn):|\.{0,2}\/|www\.)/i

/** A domain alone is the name of many a site, and a slash may separate two names: `AFP/dpa`, `J.Doe/AP`. */
const DOMAIN_AND_PATH = /^[\w.-]+\.[a-z]{2,}\/\S*$/

/** Refuses an address where a name belongs: many pages have that of a profile there. */
export function unlessAddress(accept: Accept): Accept {
  return (value) => {
    const name = accept(value)
    return name === undefined || ADDRESS.test(name) || DOMAIN_AND_PATH.test(name) ? undefined : name
  }
}

/** A person's name. */
export const acceptName: Accept = unlessAddress(acceptText(MAX_LINE_LENGTH))
