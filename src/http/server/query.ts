/** Further parameters are ignored. Parsing 100,000 would take longer than the rest of the request. */
const MAX_PARAMETERS = 1_000

/** Reads one query parameter; null when it is missing. */
export type Query = (name: string) => string | null

/** The query, decoded by the WHATWG URL standard, which never fails. The last of repeated values is used. */
export const queryOf = (request: Request): Query => queryIn(searchOf(request))

export function queryIn(search: string): Query {
  const parameters = parametersIn(search)
  return (name) => parameters.getAll(name).at(-1) ?? null
}

/** The decoded names of the parameters, in order. */
export const namesIn = (search: string): string[] => [...parametersIn(search).keys()]

const parametersIn = (search: string) => new URLSearchParams(search.split('&', MAX_PARAMETERS).join('&'))

/** The query of a request as it was sent, with its question mark, or ''. */
export function searchOf({ url }: Request): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}
