import { isatty } from 'node:tty'

import { destination, pino, stdSerializers, stdTimeFunctions } from 'pino'
import { isColorSupported, prettyFactory } from 'pino-pretty'

import type { LogLevel } from './config.ts'

/** The fields of one event under stable names; an Error is passed as `err`. */
export type LogFields = Readonly<Record<string, unknown>>

/** The logger interface of the program. */
export interface Log {
  /**
   * Logs one finished request at level info. Its fields are strings and numbers, so the line is made by
   * `JSON.stringify`: pino takes three times as long, which was 7 % of a cached response.
   */
  request(fields: LogFields): void
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

/** Receives one complete line at a time, including the line feed. */
export interface LineSink {
  write(line: string): void
}

/** Lines kept while they cannot be written, for example on a full disk; later ones are dropped. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024

/**
 * Creates a log. The server logs to stdout; commands log to stderr, because stdout holds their result. `onWriteError` is
 * called for every line that cannot be written; what it throws reaches the code that logged the line.
 */
export function createLog(options: {
  level: LogLevel
  destination?: 'stdout' | 'stderr' | LineSink
  onWriteError?: (error: Error) => void
}): Log {
  const { level, destination: to = 'stdout', onWriteError = () => {} } = options
  const sink = redacted(typeof to === 'string' ? openSink(to === 'stdout' ? 1 : 2, onWriteError) : to)
  const requests = typeof to === 'string' ? batched(sink) : { ...sink, flush() {} }
  const log = pino(
    {
      level,
      // Log collectors add the host and process id.
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.err },
    },
    {
      write(line: string) {
        requests.flush()
        sink.write(line)
      },
    },
  )
  const hasRequests = log.isLevelEnabled('info')
  return {
    request(fields) {
      if (!hasRequests) return
      const time = new Date().toISOString()
      requests.write(`${JSON.stringify({ level: 'info', time, ...fields, msg: 'request' })}\n`)
    },
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  }
}

/**
 * Writes are synchronous, so that the last lines before a crash are not lost. Terminals get colours, other outputs JSON.
 * pino-pretty runs in this thread, because a worker thread cannot find its files inside the executable.
 */
function openSink(fd: number, onWriteError: (error: Error) => void): LineSink {
  const out = destination({ fd, sync: true, maxLength: MAX_UNWRITTEN_BYTES })
  out.on('error', onWriteError)
  if (!isatty(fd)) return out
  const pretty = prettyFactory({ colorize: isColorSupported, translateTime: 'SYS:HH:MM:ss.l', singleLine: true })
  return { write: (lines) => void out.write(lines.replaceAll(/[^\n]+\n/g, (line) => pretty(line))) }
}

/** A batch of this many characters is written before the turn ends. */
const MAX_BATCH_CHARACTERS = 64 * 1024

/**
 * Writes the lines of one turn of the event loop with one call, after their responses: a write per line costs more than
 * making the line. Lines that are left are written when the process exits, also because of an uncaught error.
 */
function batched(out: LineSink): LineSink & { flush(): void } {
  let lines = ''
  const flush = () => {
    const batch = lines
    lines = ''
    if (batch !== '') out.write(batch)
  }
  process.on('exit', flush)
  return {
    flush,
    write(line) {
      if (lines === '') setImmediate(flush)
      lines += line
      if (lines.length >= MAX_BATCH_CHARACTERS) flush()
    },
  }
}

/** An API key, also percent-encoded. */
const API_KEY = /(urlmeta(?:_|%5f)live(?:_|%5f))[0-9a-f]{32}/gi

/** Redacts keys in complete lines, so that no field, message or stack trace can contain one. */
function redacted(out: LineSink): LineSink {
  return { write: (lines) => out.write(lines.replace(API_KEY, '$1••••')) }
}
