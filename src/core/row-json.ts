import { isoTime } from './iso-time.ts'

/**
 * Properties of an object under their names in JSON: `keyId` is `key_id`, and the time `createdAtMs` is `created_at`, as
 * ISO 8601 in UTC.
 */
export function rowJson<Name extends string>(row: { readonly [N in Name]: unknown }, names: readonly Name[]) {
  const entries = names.map((name) => {
    const isTime = /(^a|A)tMs$/.test(name)
    const written = (isTime ? name.slice(0, -'Ms'.length) : name).replaceAll(
      /[A-Z]/g,
      (letter) => `_${letter.toLowerCase()}`,
    )
    return [written, isTime ? isoTime(row[name] as number | null) : row[name]]
  })
  return Object.fromEntries(entries) as Record<string, unknown>
}
