import { isatty } from 'node:tty'

import { pino, stdSerializers, stdTimeFunctions } from 'pino'
import { isColorSupported, prettyFactory } from 'pino-pretty'

import type { LogLevel } from './config.ts'
import { createLineWriter, type LineWriter } from './log/line-writer.ts'

/** The fields of one event under stable names; an Error is passed as `err`. */
export type LogFields = Readonly<Record<string, unknown>>

export interface Log extends Readonly<Record<LogLevel, (fields: LogFields, message: string) => void>> {
  /**
   * Logs one finished request at level info. Its fields are strings and numbers, so `JSON.stringify` formats the line;
   * pino takes three times as long, which was 7 % of a cached response.
   */
  request(fields: object): void
}

export interface ProcessLog extends Log, Omit<LineWriter, 'write'> {
  /** The same log at a fixed level. */
  atLevel(level: LogLevel): Log
  setLevel(level: LogLevel): void
}

/**
 * Receives one complete line at a time, including the line feed. The other methods are absent if the sink writes
 * synchronously.
 */
export type LineSink = Pick<LineWriter, 'write'> & Partial<LineWriter>

/** Creates a log, which is written to stdout. Tests pass their own `destination`, which gets each line immediately. */
export function createLog({ level, destination }: { level: LogLevel; destination?: LineSink }): ProcessLog {
  const sink = redacted(destination ?? openStdout())
  const requests = destination ? { ...sink, flush() {} } : batched(sink)
  const logger = pino(
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
  let time = ''
  let timeMs = 0
  const logOf = (own: typeof logger): Log => ({
    request(fields) {
      if (!own.isLevelEnabled('info')) return
      const nowMs = Date.now()
      // The text of a time is reused, because dozens of requests can finish in one millisecond.
      if (nowMs !== timeMs) [timeMs, time] = [nowMs, new Date(nowMs).toISOString()]
      requests.write(`{"level":"info","time":"${time}",${JSON.stringify(fields).slice(1, -1)},"msg":"request"}\n`)
    },
    debug: (fields, message) => own.debug(fields, message),
    info: (fields, message) => own.info(fields, message),
    warn: (fields, message) => own.warn(fields, message),
    error: (fields, message) => own.error(fields, message),
  })
  return {
    ...logOf(logger),
    atLevel: (own) => logOf(logger.child({}, { level: own })),
    setLevel: (next) => void (logger.level = next),
    async flush(deadlineMs) {
      requests.flush()
      return (await sink.flush?.(deadlineMs)) ?? true
    },
    failure: () => sink.failure?.() ?? null,
    onFirstFailure: (report) => sink.onFirstFailure?.(report),
  }
}

/**
 * Writes colored text to terminals and JSON to other outputs. pino-pretty runs in this thread, because a worker thread
 * cannot find its files inside the executable. If the output is ready, lines are written before `write` returns, so that
 * the last lines before a crash are not lost.
 */
function openStdout(): LineSink {
  const isTerminal = isatty(1)
  const pretty = prettyFactory({
    colorize: isColorSupported,
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    // A link gets its own line, so that it can be selected and opened. Messages contain the other values.
    ignore: 'link,address,baseUrl,dataDir',
    messageFormat: ({ msg, link }) => (link === undefined ? String(msg) : `${msg}:\n${link}`),
  })
  const shown = (lines: string) => (isTerminal ? lines.replaceAll(/[^\n]+\n/g, (line) => pretty(line)) : lines)
  const writer = createLineWriter(Bun.stdout.writer(), (lines) => shown(droppedLine(lines)))
  return { ...writer, write: (lines) => writer.write(shown(lines)) }
}

function droppedLine(lines: number): string {
  const time = new Date().toISOString()
  return `${JSON.stringify({ level: 'warn', time, lines, msg: 'writing the log failed; lines were dropped' })}\n`
}

/** A batch of this size is written before the end of the turn. */
const MAX_BATCH_CHARACTERS = 64 * 1024

/**
 * Writes the lines of one turn of the event loop with one call, after their responses, because a write for each line
 * costs more than formatting it. The last lines are written when the process exits, even after an uncaught error.
 */
function batched(out: LineSink): Pick<LineSink, 'write'> & { flush(): void } {
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
  return { ...out, write: (lines) => out.write(lines.replace(API_KEY, '$1••••')) }
}
