import type { Config } from '../config.ts'
import type { Env } from '../config/env-reader.ts'

/*
 * Commands import the server and its stores in their actions, because loading them takes longer than most commands.
 */

/** Exit codes: success, failure, and incorrect usage or an invalid configuration. */
export const EXIT = { success: 0, failure: 1, usageError: 2 } as const

/** Exit codes of `urlmeta check`: more problems than allowed, and pages that could not be read. */
export const CHECK_EXIT = { problems: 1, unread: 2 } as const

export interface CommandContext {
  env: Env
  /** @throws InvalidConfigError */
  readConfig: () => Config
  /** Sets the exit code of a command that completes; `EXIT.success` unless it is called. */
  exit: (code: number) => void
}

/** Aborts when the command is interrupted, so that it can clean up. */
export function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
  return controller.signal
}
