import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'

import { DOTENV, parseConfig, thisMachine } from '../config.ts'
import type { Env, Flags } from '../config/env-reader.ts'
import { readTextFile } from '../config/text-file.ts'

/** The message lists every problem. */
export class InvalidConfigError extends Error {
  override name = 'InvalidConfigError'
  constructor(problems: readonly string[]) {
    super(['urlmeta: invalid configuration:', ...problems.map((problem) => `  ${problem}`)].join('\n'))
  }
}

/** The configuration, with the values that `urlmeta config` prints. @throws InvalidConfigError */
export function loadConfig(env: Env, flags: Flags = {}) {
  // An empty variable counts as not set.
  const set = Object.fromEntries(Object.entries(env).filter(([, text]) => text?.trim()))
  const parsed = parseConfig({ ...readDotenv(DOTENV), ...set }, thisMachine(), flags)
  if ('errors' in parsed) throw new InvalidConfigError(parsed.errors)
  return parsed
}

/**
 * The variables of a `.env` file; {} if there is none. Bun's own loading of `.env` files is turned off, because it
 * ignores errors and reads more files.
 */
function readDotenv(path: string): Env {
  // The user may not be allowed to enter the working directory, for example with `sudo -u urlmeta` in an
  // administrator's home.
  const read = existsSync('.') ? readTextFile(path) : null
  if (read === null) return {}
  const problems = 'error' in read ? [read.error] : invalidLines(read.value)
  if ('error' in read || problems.length > 0) {
    throw new InvalidConfigError(problems.map((problem) => `${resolve(path)}: ${problem}`))
  }
  return parseEnv(read.value)
}

/**
 * Describes the lines of urlmeta's variables that `parseEnv` does not read completely. `parseEnv` skips
 * `URLMETA_PORT 80`, and reads only a part of `URLMETA_SECRET="a"b` or `=a#b`. Other lines are not checked, because
 * they may be part of a value.
 */
function invalidLines(text: string): string[] {
  return text.split('\n').flatMap((content, index) => {
    const [, name, rest = ''] = /^\s*(?:export\s+)?(URLMETA_\w*)(.*)$/i.exec(content) ?? []
    if (name === undefined) return []
    const line = `line ${index + 1}`
    if (!/^\s*=/.test(rest)) return [`${line}: expected ${name}=value`]
    if (/^\s*=(?!\s*["'`])[^#]*(?<!\s)#/.test(rest)) return [`${line}: quote ${name}, because # starts a comment`]
    return /^\s*=\s*(["'`])((?!\1).)*\1\s*[^\s#]/.test(rest) ? [`${line}: text after the quotes of ${name}`] : []
  })
}
