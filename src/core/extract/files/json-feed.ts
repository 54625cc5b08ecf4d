import { isRecord, parsedJson } from '../../json.ts'
import { decoderOf } from '../reading/text.ts'
import type { EncodedPage } from '../reading/transcode.ts'

/** The items of a feed, which are usually last. In a string, the quotes would be escaped. */
const ITEMS = /,\s*"items"\s*:[^]*$/

/**
 * Returns the texts of a JSON Feed by their names (`json title`), and the names of its authors, not those of its items.
 * Source: https://www.jsonfeed.org/version/1.1/
 * @param feed the feed or its start
 */
export function jsonFeedValues({ bytes, encoding }: EncodedPage): Map<string, string> {
  const text = decoderOf(encoding).decode(bytes)
  const parsed = parsedJson(text) ?? parsedJson(text.replace(ITEMS, '}'))
  const feed = isRecord(parsed) ? parsed : {}
  // Version 1 has one author.
  const people = [feed['authors'], feed['author']].flat().filter((person) => isRecord(person))
  const members = Object.entries({ ...feed, authors: people.map(({ name }) => name).join(', ') })
  return new Map(members.flatMap(([name, value]) => (typeof value === 'string' ? [[`json ${name}`, value]] : [])))
}
