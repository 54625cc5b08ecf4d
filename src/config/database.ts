import { join } from 'node:path'

import { attempt } from '../core/attempt.ts'
import { secretBy } from './parse.ts'

/**
 * Where all data is stored: in a file in the data directory, or in a database of a server. The file may not exist yet.
 */
export type Database =
  { readonly kind: 'SQLite'; readonly file: string } | { readonly kind: 'PostgreSQL'; readonly url: string }

/** The programs of PostgreSQL, which are used instead of `urlmeta backup` and `restore`. */
export const BACKUP_PROGRAMS = { backup: 'pg_dump', restore: 'pg_restore' } as const

export const sqliteFile = (dataDir: string): string => join(dataDir, 'urlmeta.db')

/** The URL of a PostgreSQL database, which may contain a password. */
export const databaseUrl = secretBy((text): Extract<Database, { kind: 'PostgreSQL' }> | null => {
  const url = URL.parse(text)
  const isDatabase = url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.hostname !== '' && url.hash === ''
  // An `@` in the path is from a password with an unencoded character.
  const isValid = isDatabase && /^\/[^/@]+$/.test(url.pathname) && isDecodable(url)
  return isValid ? { kind: 'PostgreSQL', url: text } : null
}, 'postgres://user:password@host:port/database, with % of the password as %25')

/** Whether user, password and path can be decoded, as Bun's clients do: a `%` in a password must be written as `%25`. */
export function isDecodable({ username, password, pathname }: URL): boolean {
  return attempt(() => decodeURIComponent(username + password + pathname)) !== undefined
}

/** The user name and password of a URL. They end at the last `@`, because a password may contain one. */
const USER_AND_PASSWORD = /^([^:]+:\/\/)([^/?#]*)@/

/** Masks the passwords, also in the query, and keeps the user name. */
export function maskedDatabaseUrl(text: string): string {
  const masked = text.replace(USER_AND_PASSWORD, (_, scheme: string, account: string) => {
    const [user = '', ...password] = account.split(':')
    return `${scheme}${user}${password.length > 0 ? ':••••' : ''}@`
  })
  return masked.replace(/([?&][^=&]*password=)[^&]*/gi, '$1••••')
}
