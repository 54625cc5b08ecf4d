import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'

import { type Config, parseConfig } from '../config.ts'
import type { Env, Flags } from '../config/env-reader.ts'

/** The configuration is invalid; the message lists every problem. */
export class InvalidConfigError extends Error {
  override name = 'InvalidConfigError'
  constructor(problems: readonly string[]) {
    super(['urlmeta: invalid configuration:', ...problems.map((problem) => `  ${problem}`)].join('\n'))
  }
}

/** @throws InvalidConfigError */
export function configOf(env: Env, flags: Flags = {}): Config {
  return settingsOf(env, flags).config
}

/** The configuration, with the settings that `urlmeta config` prints. @throws InvalidConfigError */
export function settingsOf(env: Env, flags: Flags = {}) {
  const parsed = parseConfig({ ...readDotenv('.env'), ...env }, availableParallelism(), flags)
  if ('faults' in parsed) throw new InvalidConfigError(parsed.faults)
  return parsed
}

/**
 * The variables of the `.env` file in the working directory; empty when the file does not exist. Bun's own loading of
 * `.env` files is disabled, because it ignores unreadable files and also loads `.env.development`.
 */
function readDotenv(path: string): Env {
  try {
    return parseEnv(readFileSync(path, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return {}
    throw new InvalidConfigError([
      `${resolve(path)}: ${code === 'EISDIR' ? 'is a directory, expected a file' : message}`,
    ])
  }
}
