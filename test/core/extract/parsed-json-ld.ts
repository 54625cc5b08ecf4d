import { JsonLdScripts } from '../../../src/core/extract/json-ld/json-ld-scripts.ts'
import { TextReader } from '../../../src/core/extract/reading/text.ts'

/** The JSON-LD scripts of a page, parsed. */
export function parsedJsonLd(...scripts: string[]): readonly unknown[] {
  const encoded = scripts.map((script) => new TextEncoder().encode(script))
  const reader = new TextReader(Buffer.concat(encoded), 'utf-8')
  let end = 0
  return new JsonLdScripts(reader).parse(encoded.map(({ length }) => ({ start: end, end: (end += length) })))
}
