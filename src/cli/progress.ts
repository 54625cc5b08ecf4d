import { Presets, SingleBar } from 'cli-progress'

/** How far a long command has come. Disposing it removes the bar. */
export interface Progress extends Disposable {
  increment(): void
}

const NO_PROGRESS: Progress = { increment() {}, [Symbol.dispose]() {} }

/** Exit codes of a process that a signal ended, as shells report them. */
const SIGNAL_EXITS = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * A progress bar on stderr when that is a terminal and stdout is not: on a shared terminal, the bar and the output would
 * overwrite each other.
 *
 * The bar changes no terminal mode (cursor, wrapping, colour), so there is nothing to restore however the process ends.
 */
export function startProgress(total: number): Progress {
  if (total < 2 || !process.stderr.isTTY || process.stdout.isTTY) return NO_PROGRESS
  const bar = new SingleBar(
    // `linewrap: true` leaves the terminal's wrapping on, and cuts the bar to the width of the terminal instead.
    { stream: process.stderr, clearOnComplete: true, hideCursor: false, linewrap: true, format: FORMAT },
    Presets.shades_classic,
  )
  const stop = () => bar.stop()
  const onSignal = (signal: keyof typeof SIGNAL_EXITS) => process.exit(SIGNAL_EXITS[signal])
  // Without a listener a signal ends the process with the bar still on the line where the shell's prompt comes next.
  process.on('exit', stop).on('SIGINT', onSignal).on('SIGTERM', onSignal)
  bar.start(total, 0)
  return {
    increment: () => bar.increment(),
    [Symbol.dispose]() {
      process.off('exit', stop).off('SIGINT', onSignal).off('SIGTERM', onSignal)
      stop()
    },
  }
}

const FORMAT = '{bar} {percentage}% | {value}/{total} | {eta} s left'
