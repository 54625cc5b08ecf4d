import { type HeaderFields, withEscapedBytes } from './header-fields.ts'

/** A target and its parameters, up to the next target (RFC 8288 section 3). */
const LINK = /<([^<>]*)>([^<]*)/g

/** `rel`, which may have several relations. */
const RELATION = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s";,]+))/i

/** The canonical URL of a document as its response names it (RFC 6596), absolute or relative; null if there is none. */
export function canonicalLinkOf(fields: HeaderFields): string | null {
  for (const [, target = '', parameters = ''] of (fields.get('link') ?? []).join(',').matchAll(LINK)) {
    const [, quoted, token] = RELATION.exec(parameters) ?? []
    const relations = (quoted ?? token ?? '').toLowerCase().split(/\s+/)
    if (relations.includes('canonical')) return withEscapedBytes(target)
  }
  return null
}
