import { attempt } from '../attempt.ts'

/**
 * The header fields of a response: the values of each name, in the order received. Names are in lower case. Values have
 * one character per byte.
 */
export type HeaderFields = ReadonlyMap<string, readonly string[]>

/** All values of a field as one list (RFC 9110 section 5.3); null if the response does not have the field. */
export function fieldValue(fields: HeaderFields, name: string): string | null {
  return fields.get(name)?.join(', ') ?? null
}

/**
 * Percent-encodes the bytes of a URL that are not ASCII, so that the next server receives the same bytes. Most are UTF-8,
 * but some servers use another encoding.
 */
export function withEscapedBytes(address: string): string {
  return address.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Decodes bytes, one per character, as UTF-8; null if they are not valid UTF-8. */
export function utf8Of(bytes: string): string | null {
  const codes = Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))
  return attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(codes)) ?? null
}

/** Decodes the value of a field as UTF-8, or as Latin-1 if it is not valid UTF-8. */
export function textOf(value: string): string {
  return utf8Of(value) ?? value
}

/** The elements of a comma-separated field, without empty ones (RFC 9110 section 5.6.1). */
export function fieldElements(fields: HeaderFields, name: string): string[] {
  const elements = (fields.get(name) ?? []).flatMap((value) => value.split(','))
  return elements.map((element) => element.trim()).filter((element) => element !== '')
}

/** The items of a header field with their weights (RFC 9110 section 12.4.2). An invalid weight counts as 0. */
export function weightedItems(value: string): [item: string, weight: number][] {
  return value.split(',').map((text) => {
    const [item = '', ...parameters] = text.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => /^q=/i.test(parameter))
    return [item, weight === undefined ? 1 : Number(weight.slice('q='.length)) || 0]
  })
}
