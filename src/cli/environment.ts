import { type Config, parseConfig } from '../config.ts'
import type { Env } from '../config/env-reader.ts'

/** The environment is not fit to run with; the message lists every fault. */
export class ConfigFaults extends Error {
  override name = 'ConfigFaults'
  constructor(faults: readonly string[]) {
    super(['urlmeta: the configuration has faults:', ...faults.map((fault) => `  ${fault}`)].join('\n'))
  }
}

/** @throws ConfigFaults */
export function configOf(env: Env): Config {
  return settingsOf(env).config
}

/** The configuration with the settings as `urlmeta config` prints them. @throws ConfigFaults */
export function settingsOf(env: Env) {
  const parsed = parseConfig(env)
  if ('faults' in parsed) throw new ConfigFaults(parsed.faults)
  return parsed
}
