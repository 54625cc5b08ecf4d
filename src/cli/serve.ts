import { once } from 'node:events'

import type { Command } from '@commander-js/extra-typings'

import { type App, composeApp } from '../compose.ts'
import type { Config } from '../config.ts'
import { AppError, messageOf } from '../core/errors.ts'
import { DRAIN_MS } from '../core/limits.ts'
import { createLog, type Log } from '../log.ts'
import { VERSION } from '../version.ts'
import { configOf } from './environment.ts'
import type { CommandContext } from './command.ts'

export function addServeCommand(program: Command, { env }: CommandContext) {
  program
    .command('serve')
    .description('start the server')
    .option('--host <host>', 'address or name to listen on; overrides URLMETA_HOST')
    .option('--port <port>', 'port to listen on, 0 for any free one; overrides URLMETA_PORT')
    .option('--data-dir <dir>', 'directory of the database; overrides URLMETA_DATA_DIR')
    .action(async ({ host, port, dataDir }) => {
      const config = configOf(env, {
        ...(host !== undefined && { URLMETA_HOST: { name: '--host', value: host } }),
        ...(port !== undefined && { URLMETA_PORT: { name: '--port', value: port } }),
        ...(dataDir !== undefined && { URLMETA_DATA_DIR: { name: '--data-dir', value: dataDir } }),
      })
      await serve(config, createLog({ level: config.logLevel, onWriteError: reportFirst }), stopSignal())
    })
}

/** Runs the server until a stop signal, then waits for requests in progress and closes everything. */
async function serve(config: Config, log: Log, stop: AbortSignal) {
  await using app = await composeApp(config, log)
  await using _listening = listen(app, config)
  const { port } = app.http.server!
  const address = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`
  // Logged at every level: the server cannot be used without its address and the sign-in link.
  const startLog = createLog({ level: 'info', onWriteError: failStart })
  startLog.info({ address, baseUrl: app.baseUrl() }, `urlmeta ${VERSION} listens on ${address}`)
  const link = await app.firstSignInLink()
  if (link !== null) {
    startLog.info(
      { link },
      `no identity provider is configured; this link signs in once and expires in 15 minutes: ${link}`,
    )
  }

  if (!stop.aborted) await once(stop, 'abort')
  log.info({ signal: stop.reason }, 'stopping: waiting for requests in progress')
  if (!(await drained(app)))
    log.warn({ afterMs: DRAIN_MS }, 'stopping: closing connections of requests still in progress')
}

/** Stops the start when the address cannot be printed, unless the reader closed the pipe. @throws AppError */
function failStart(cause: NodeJS.ErrnoException) {
  if (cause.code === 'EPIPE') return
  throw new AppError('internal', `Cannot write to standard output: ${cause.message}`, { cause })
}

let hasReported = false

/**
 * A failed log write, such as on a full disk, does not stop the server. Reported once, because later writes fail too.
 */
function reportFirst(error: Error) {
  if (hasReported) return
  hasReported = true
  process.stderr.write(`urlmeta: writing the log failed; lines are dropped until it succeeds: ${error.message}\n`)
}

/** Starts listening. Disposing stops it and closes all connections. */
function listen({ http }: App, { host, port }: Config): AsyncDisposable {
  try {
    http.listen({ hostname: host, port })
    return {
      async [Symbol.asyncDispose]() {
        if (http.server) await http.stop(true)
      },
    }
  } catch (cause) {
    throw new AppError(
      'internal',
      `Cannot listen on ${host}:${port} (URLMETA_HOST, URLMETA_PORT): ${reasonOf(cause)}`,
      {
        cause,
      },
    )
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE'
    ? 'the port is in use'
    : messageOf(cause)
}

/** Accepts no more connections and waits at most `DRAIN_MS` for requests; returns whether all have finished. */
async function drained({ http }: App): Promise<boolean> {
  const { promise: timeout, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(() => resolve(false), DRAIN_MS)
  const inTime = await Promise.race([http.stop().then(() => true as const), timeout])
  clearTimeout(timer)
  if (!inTime) await http.stop(true)
  return inTime
}

/** Aborts on the first SIGTERM or SIGINT, with its name as the reason; a second one exits immediately. */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(128 + number)
      controller.abort(signal)
    })
  }
  return controller.signal
}
