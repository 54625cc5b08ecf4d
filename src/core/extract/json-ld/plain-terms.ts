/** A key with a prefix (`"schema:author":`), or with the whole IRI of a term. */
const QUALIFIED_KEY = /"([\w-]+:|https?:\/\/(?:www\.)?schema\.org\/)(\w+)"(?=\s*:)/g

/** The definition of a prefix: `"sdo": "https://schema.org/"`. */
const PREFIX = /"([\w-]+)"\s*:\s*"https?:\/\/(?:www\.)?schema\.org\/"/g

/**
 * Replaces the keys of JSON-LD that are compact or full IRIs of https://schema.org by their terms: `author` for
 * `schema:author` and `http://schema.org/author`. Takes linear time.
 * https://www.w3.org/TR/json-ld11/#compact-iris
 */
export function withPlainTerms(json: string): string {
  let prefixes: ReadonlySet<string> | undefined
  return json.replace(QUALIFIED_KEY, (key, prefix: string, term: string) => {
    prefixes ??= new Set(['schema:', ...Array.from(json.matchAll(PREFIX), ([, name]) => `${name}:`)])
    return prefix.endsWith('/') || prefixes.has(prefix) ? `"${term}"` : key
  })
}
