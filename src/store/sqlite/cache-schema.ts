import { cacheTables } from '../sql/cache-tables.ts'
import { sqliteColumns } from './columns.ts'

// These tables are in a separate file, which may be deleted at any time.

/** Tables that PostgreSQL has too. */
export const CACHE_TABLES = cacheTables(sqliteColumns)

/**
 * `CREATE_CACHE` defines the tables of this file as statements. Increment the version when a table changes: a file of
 * another version is deleted.
 */
export const CACHE_VERSION = 3
export const CREATE_CACHE = [
  'CREATE TABLE IF NOT EXISTS results (cache_key text PRIMARY KEY NOT NULL, json text NOT NULL, stored_at integer NOT NULL, details text)',
  'CREATE INDEX IF NOT EXISTS results_age ON results (stored_at)',
  'CREATE TABLE IF NOT EXISTS deleted_pages (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, page text NOT NULL, results integer NOT NULL)',
  'CREATE TABLE IF NOT EXISTS rendered_hosts (host text PRIMARY KEY NOT NULL, confirmed_at integer NOT NULL)',
  'CREATE INDEX IF NOT EXISTS rendered_hosts_age ON rendered_hosts (confirmed_at)',
  `PRAGMA user_version = ${CACHE_VERSION}`,
]
