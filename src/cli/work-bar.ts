import { Presets, SingleBar } from 'cli-progress'

/** A progress bar of work whose size becomes known later. Disposing it removes the bar. */
export interface WorkBar extends Disposable {
  /** Shows nothing while the total is null, and if stderr is not a terminal. */
  show(done: number, total: number | null): void
}

export function workBar(): WorkBar {
  const bar = new SingleBar(
    // `linewrap: true` keeps the terminal's wrapping on, so that no mode has to be restored after a crash.
    { stream: process.stderr, clearOnComplete: true, hideCursor: false, linewrap: true, format: '{bar} {percentage}%' },
    Presets.shades_grey,
  )
  let isShown = false
  return {
    show(done, total) {
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
