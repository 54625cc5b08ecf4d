import { isatty } from 'node:tty'

import { destination, pino, stdSerializers, stdTimeFunctions } from 'pino'
import { isColorSupported, prettyFactory } from 'pino-pretty'

import type { LogLevel } from './config.ts'

/** The fields of one event under stable names; an Error is passed as `err`. */
export type LogFields = Readonly<Record<string, unknown>>

/** The logger interface of the program. */
export interface Log {
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
 * Opens a log. The server's goes to stdout; a command, whose stdout is its result, logs to stderr. `onWriteError` is
 * called for every line that cannot be written; what it throws reaches whoever logged the line.
 */
export function createLog(options: {
  level: LogLevel
  destination?: 'stdout' | 'stderr' | LineSink
  onWriteError?: (error: Error) => void
}): Log {
  const { level, destination: to = 'stdout', onWriteError = () => {} } = options
  const sink = typeof to === 'string' ? openSink(to === 'stdout' ? 1 : 2, onWriteError) : to
  return pino(
    {
      level,
      // Log collectors add the host and process id.
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.err },
    },
    { write: (line: string) => sink.write(redactKeys(line)) },
  )
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
  return { write: (line) => out.write(pretty(line)) }
}

/** An API key, also percent-encoded. */
const API_KEY = /(urlmeta(?:_|%5f)live(?:_|%5f))[0-9a-f]{32}/gi

/** Redacts keys in the complete line, so that no field, message or stack trace can contain one. */
function redactKeys(line: string): string {
  return line.replace(API_KEY, '$1••••')
}
