/** Where lines go in the end; `Bun.FileSink` is one. Neither verb waits: `flush` gives a promise where it would have to. */
export interface Output {
  write(text: string): unknown
  flush(): unknown
}

/** Takes finished lines, line feeds included. Never throws and never waits. */
export interface LineWriter {
  write(lines: string): void
  /** Waits until everything is written, for at most so many milliseconds; says whether it is. */
  flush(deadlineMs: number): Promise<boolean>
  /** Why the last write failed; null when it did not. */
  failure(): NodeJS.ErrnoException | null
  /** Calls the function once, at the first write that fails from now on. */
  onFirstFailure(report: (error: Error) => void): void
}

/** Lines that may wait for a reader that is slow: some 20,000 of 400 characters. */
const MAX_WAITING_CHARACTERS = 8 * 1024 * 1024

/**
 * Writes lines without ever waiting for whoever reads them: a log that cannot be written, since its disk is full or its
 * reader hangs, must not make a request fail or wait. Lines past the bound, and those of a write that failed, are lost;
 * how many is the first thing that is written when writing works again.
 */
export function createLineWriter(output: Output, lossLine: (lines: number) => string): LineWriter {
  let waiting: string[] = []
  let waitingCharacters = 0
  let lost = 0
  let report: ((error: Error) => void) | null = null
  let failure: NodeJS.ErrnoException | null = null
  let writing: Promise<void> | null = null

  /** A promise where the output has to wait for its reader. */
  function writeBatch(): unknown {
    const batch = waiting.join('')
    waiting = []
    // A write that failed may have left a part of a line behind.
    const loss = lost > 0 ? `\n${lossLine(lost)}` : ''
    const fail = (error: NodeJS.ErrnoException) => {
      failure = error
      report?.(error)
      report = null
      waitingCharacters -= batch.length
      lost += linesIn(batch)
    }
    const succeed = () => {
      failure = null
      waitingCharacters -= batch.length
      if (loss !== '') lost = 0
    }
    try {
      output.write(loss + batch)
      const flushed = output.flush()
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
    write(lines) {
      if (waitingCharacters + lines.length > MAX_WAITING_CHARACTERS) {
        lost += linesIn(lines)
        return
      }
      waiting.push(lines)
      waitingCharacters += lines.length
      if (writing !== null) return
      const pending = writeBatch()
      if (pending instanceof Promise) writing = finish(pending)
    },

    failure: () => failure,
    onFirstFailure: (run) => void (report = run),

    async flush(deadlineMs) {
      if (writing === null) return true
      const { promise: late, resolve } = Promise.withResolvers<false>()
      const timer = setTimeout(() => resolve(false), deadlineMs)
      const isDone = await Promise.race([writing.then(() => true as const), late])
      clearTimeout(timer)
      return isDone
    },
  }
}

function linesIn(text: string): number {
  return text.split('\n').length - 1
}
