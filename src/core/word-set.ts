/** The words of a text, which are separated by spaces. */
export const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))
