/**
 * The output of a line writer, for example a `Bun.FileSink`. `flush` returns a promise if the output is not ready.
 * `write` sends a long text immediately and then returns a promise too; only that promise reports a failure.
 */
export interface Output {
  write(text: string): unknown
  flush(): unknown
}

export type LineWriter = ReturnType<typeof createLineWriter>

/** The buffer for lines while the reader is slow: about 20,000 lines of 400 characters. */
const MAX_WAITING_CHARACTERS = 8 * 1024 * 1024

/**
 * Writes complete lines, including line feeds, without blocking; `write` never throws. A request must neither fail nor
 * wait because the disk of the log is full or its reader hangs. Lines that exceed the buffer or whose write failed are
 * dropped. After the next successful write, the log has a line with the number of dropped lines.
 */
export function createLineWriter(output: Output, droppedLine: (lines: number) => string) {
  let waiting: string[] = []
  let waitingCharacters = 0
  let dropped = 0
  let report: ((error: Error) => void) | null = null
  let failure: NodeJS.ErrnoException | null = null
  let writing: Promise<void> | null = null

  /** Writes all waiting lines. Returns a promise if the output is not ready, null if the write is done. */
  function writeBatch(): unknown {
    const batch = waiting.join('')
    waiting = []
    // A failed write may have written part of a line, so the notice starts on a new line.
    const reported = dropped
    const notice = reported > 0 ? `\n${droppedLine(reported)}` : ''
    const fail = (error: NodeJS.ErrnoException) => {
      failure = error
      report?.(error)
      report = null
      waitingCharacters -= batch.length
      dropped += linesIn(batch)
    }
    const succeed = () => {
      failure = null
      waitingCharacters -= batch.length
      dropped -= reported
    }
    try {
      const written = output.write(notice + batch)
      const flushed = written instanceof Promise ? written.then(() => output.flush()) : output.flush()
      if (flushed instanceof Promise) return flushed.then(succeed, fail)
      succeed()
    } catch (error) {
      fail(error as NodeJS.ErrnoException)
    }
    return null
  }

  async function finish(pending: Promise<unknown>) {
    await pending
    while (waiting.length > 0) await writeBatch()
    writing = null
  }

  return {
    write(lines: string) {
      if (waitingCharacters + lines.length > MAX_WAITING_CHARACTERS) {
        dropped += linesIn(lines)
        return
      }
      waiting.push(lines)
      waitingCharacters += lines.length
      if (writing !== null) return
      const pending = writeBatch()
      if (pending instanceof Promise) writing = finish(pending)
    },

    /** The error of the last write; null if it succeeded. */
    failure: () => failure,
    /** Calls `run` once, with the error of the next write that fails. */
    onFirstFailure: (run: (error: Error) => void) => void (report = run),

    /** Waits until everything is written, at most `deadlineMs`. Resolves to whether everything was written. */
    async flush(deadlineMs: number): Promise<boolean> {
      if (writing === null) return true
      const { promise: timedOut, resolve } = Promise.withResolvers<false>()
      using _timer = setTimeout(() => resolve(false), deadlineMs)
      return await Promise.race([writing.then(() => true as const), timedOut])
    },
  }
}

const linesIn = (text: string): number => text.split('\n').length - 1
