import { type Preset, Presets, SingleBar } from 'cli-progress'

/** Exit codes of a process terminated by a signal, as shells report them. */
export const SIGNAL_EXITS = { SIGINT: 130, SIGTERM: 143 } as const

/** A bar that changes no terminal mode (cursor, wrapping, color), so that no mode has to be restored after a crash. */
function barOn(stream: NodeJS.WriteStream, format: string, preset: Preset) {
  // `linewrap: true` keeps the terminal's wrapping on and truncates the bar to the width of the terminal.
  return new SingleBar({ stream, clearOnComplete: true, hideCursor: false, linewrap: true, format }, preset)
}

/**
 * A progress bar for a known number of items. Disposing it removes the bar. Null for a single item, and if stderr is
 * not a terminal. Null also if stdout is a terminal, because the bar and the output would overwrite each other.
 */
export function startProgress(total: number) {
  if (total < 2 || !process.stderr.isTTY || process.stdout.isTTY) return null
  const bar = barOn(process.stderr, '{bar} {percentage}% | {value}/{total} | {eta} s left', Presets.shades_classic)
  const stop = () => bar.stop()
  const onSignal = (signal: keyof typeof SIGNAL_EXITS) => process.exit(SIGNAL_EXITS[signal])
  // Without these listeners, a signal would terminate the process and leave the bar on the line of the shell's prompt.
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

/** A progress bar for work whose size becomes known later. Disposing it removes the bar. */
export function workBar() {
  const bar = barOn(process.stderr, '{bar} {percentage}%', Presets.shades_grey)
  let isShown = false
  return {
    /** Shows nothing while the total is null, and if stderr is not a terminal. */
    show(done: number, total: number | null) {
      if (!process.stderr.isTTY || total === null) return
      if (isShown) bar.update(Math.min(done, total))
      else bar.start(total, done)
      isShown = true
    },
    [Symbol.dispose]() {
      if (isShown) bar.stop()
      isShown = false
    },
  }
}
