import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { composeAccounts } from '../src/compose/accounts.ts'
import { parseConfig } from '../src/config.ts'
import type { CommandLineAccounts } from '../src/service/accounts/command-line-accounts.ts'
import { openWorkspace, type Workspace } from './executable.ts'

/** A new installation with a key: the files of its data directory. */
interface Installation {
  key: string
  files: { name: string; bytes: Uint8Array }[]
}

async function newInstallation(): Promise<Installation> {
  await using workspace = openWorkspace()
  const key = await createKeyOf('you@example.com', workspace)
  const data = join(workspace.dir, 'data')
  return { key, files: readdirSync(data).map((name) => ({ name, bytes: readFileSync(join(data, name)) })) }
}

let installation: Promise<Installation> | undefined

/**
 * Creates an API key. A new installation with SQLite is a copy of the first one of this process, with the same key and
 * secret, because the executable takes longer.
 */
export async function createKey(workspace: Workspace, env: Record<string, string> = {}): Promise<string> {
  const data = env['URLMETA_DATA_DIR'] ?? join(workspace.dir, 'data')
  const exists = env['URLMETA_DATABASE_URL'] !== undefined || existsSync(join(data, 'urlmeta.db'))
  if (exists) return createKeyOf('you@example.com', workspace, env)
  installation ??= newInstallation()
  const { key, files } = await installation
  mkdirSync(data, { recursive: true, mode: 0o700 })
  for (const { name, bytes } of files) writeFileSync(join(data, name), bytes, { mode: 0o600 })
  return key
}

/** Creates an API key with the executable. */
export async function createKeyOf(
  email: string,
  workspace: Workspace,
  env: Record<string, string> = {},
): Promise<string> {
  const { stdout, stderr } = await workspace.run(['key', 'create', '--email', email, '--json'], env)
  if (stdout === '') throw new Error(stderr)
  return (JSON.parse(stdout) as { key: string }).key
}

/** Creates an API key in a PostgreSQL database, in this process. With SQLite, the file would stay open here. */
export async function createPostgresKey(
  { dir }: Workspace,
  env: Record<string, string>,
  settings: Parameters<CommandLineAccounts['createKey']>[0],
): Promise<string> {
  const parsed = parseConfig({ URLMETA_DATA_DIR: join(dir, 'data'), ...env })
  if ('errors' in parsed) throw new Error(parsed.errors.join('\n'))
  await using opened = await composeAccounts(parsed.config)
  return (await opened.accounts.createKey(settings)).key
}
