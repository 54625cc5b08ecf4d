/** Removes some characters at both ends of a text. Takes linear time, unlike a regular expression. */
export function trimCharacters(text: string, characters: string): string {
  let start = 0
  let end = text.length
  while (start < end && characters.includes(text[start]!)) start++
  while (end > start && characters.includes(text[end - 1]!)) end--
  return text.slice(start, end)
}
