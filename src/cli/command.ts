import type { Env } from '../config/env-reader.ts'

/** What the shell learns: done, failed, wrong use. */
export const EXIT = { done: 0, failed: 1, wrongUse: 2 } as const

/** What every command works with. */
export interface CommandContext {
  env: Env
  /** The exit code of a command that came to its end; `EXIT.done` unless it says otherwise. */
  exit: (code: number) => void
}
