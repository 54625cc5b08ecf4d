import { lookup } from 'node:dns/promises'
import { once } from 'node:events'

import type { Command } from '@commander-js/extra-typings'

import type { App } from '../../compose.ts'
import type { Config, LoadedConfig } from '../../config.ts'
import { AppError, messageOf } from '../../core/errors.ts'
import { DRAIN_MS } from '../../core/limits.ts'
import { messageWithCause, StoreError } from '../../core/store-fault.ts'
import type { ProcessLog } from '../../log.ts'
import { VERSION } from '../../version.ts'
import { type CommandContext, EXIT } from '../command.ts'
import { loadConfig } from '../load-config.ts'
import { prepareReload } from '../reload.ts'

/** The deadline for writing the last log lines when the server stops, in milliseconds. */
const LOG_FLUSH_MS = 1_000

export function addServeCommand(program: Command, { env }: CommandContext) {
  program
    .command('serve')
    .description('start the server')
    .option('--host <host>', 'address or name to listen on; overrides URLMETA_HOST')
    .option('--port <port>', 'port to listen on, 0 for any free one; overrides URLMETA_PORT')
    .option('--data-dir <dir>', 'directory of the database; overrides URLMETA_DATA_DIR')
    .action(async ({ host, port, dataDir }) => {
      const flags = {
        ...(host !== undefined && { URLMETA_HOST: { name: '--host', value: host } }),
        ...(port !== undefined && { URLMETA_PORT: { name: '--port', value: port } }),
        ...(dataDir !== undefined && { URLMETA_DATA_DIR: { name: '--data-dir', value: dataDir } }),
      }
      const readConfig = () => loadConfig(env, flags)
      const start = readConfig()
      const { createLog } = await import('../../log.ts')
      const log = createLog({ level: start.config.logLevel })
      await serve(start, log, readConfig)
      // A pending write would keep the process alive for as long as the reader of the log hangs.
      if (!(await log.flush(LOG_FLUSH_MS))) process.exit(EXIT.success)
    })
}

/** Runs the server until a stop signal, waits for requests in progress, and closes everything. */
async function serve(start: LoadedConfig, log: ProcessLog, readConfig: () => LoadedConfig) {
  const { config } = start
  const signals = onSignals()
  const { composeApp } = await import('../../compose.ts')
  await using app = await composeApp(start, log)
  await using _listening = await listen(app, config)
  const { port } = app.http.server!
  app.announceStart()
  signals.onReload(createReload(app, start, log, readConfig))
  const address = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`
  const link = await app.firstSignInLink().catch((error: unknown) => {
    if (!(error instanceof StoreError) || config.database.kind === 'SQLite') throw error
    // As with any other fault of PostgreSQL, requests get 500 and `/readyz` the reason until it recovers.
    log.warn({ reason: messageWithCause(error) }, 'creating the sign-in link failed')
    return null
  })
  // Logged at every level: the server cannot be used without its address and the sign-in link.
  const startLog = log.atLevel('info')
  startLog.info({ address, baseUrl: app.baseUrl() }, `urlmeta ${VERSION} listens on ${address}`)
  if (link !== null) startLog.info({ link }, 'sign in with this link, once, within 15 minutes')
  requireWritableLog(log)
  log.onFirstFailure((error) =>
    process.stderr.write(`urlmeta: writing the log failed; lines are dropped until it succeeds: ${error.message}\n`),
  )

  const { stop } = signals
  if (!stop.aborted) await once(stop, 'abort')
  app.announceStop()
  const { shutdownDelayMs } = config
  if (shutdownDelayMs > 0) {
    log.info({ signal: stop.reason, ms: shutdownDelayMs }, 'stopping: /readyz is 503; still accepting requests')
    await Bun.sleep(shutdownDelayMs)
  }
  log.info({ signal: stop.reason }, 'stopping: waiting for requests in progress')
  if (!(await drain(app)))
    log.warn({ afterMs: DRAIN_MS }, 'stopping: closing connections of requests still in progress')
}

/** @throws AppError when the address could not be logged, unless the reader closed the pipe */
function requireWritableLog(log: ProcessLog) {
  const cause = log.failure()
  if (cause === null || cause.code === 'EPIPE') return
  throw new AppError('internal', `Cannot write to standard output: ${cause.message}`, { cause })
}

/** Returns a function that reads the configuration again and applies it. If it is invalid, nothing changes. */
function createReload(app: App, start: LoadedConfig, log: ProcessLog, readConfig: () => LoadedConfig): () => void {
  let inEffect = start
  return () => {
    try {
      const { changed, needRestart, next } = prepareReload(inEffect, readConfig())
      app.reload(next)
      log.setLevel(next.config.logLevel)
      inEffect = next
      const reloadLog = log.atLevel('info')
      reloadLog.info({ changed }, 'configuration reloaded')
      if (needRestart.length > 0) {
        reloadLog.warn({ variables: needRestart }, 'these changed settings take effect after a restart')
      }
    } catch (err) {
      log.error({ err }, 'reloading the configuration failed; nothing was changed')
    }
  }
}

function whyNotListening(cause: unknown): string {
  const { code, syscall } = cause as NodeJS.ErrnoException
  if (syscall === 'getaddrinfo') return 'the name does not resolve'
  return code === 'EADDRINUSE' ? 'the port is in use' : messageOf(cause)
}

/** Disposing the result stops listening and closes all connections. */
async function listen({ http }: App, { host, port }: Config): Promise<AsyncDisposable> {
  try {
    // For a name that does not resolve, Bun's own error has the code of any earlier system call.
    await lookup(host)
    http.listen({ hostname: host, port })
    return {
      async [Symbol.asyncDispose]() {
        if (http.server) await http.stop(true)
      },
    }
  } catch (cause) {
    const why = whyNotListening(cause)
    throw new AppError('internal', `Cannot listen on ${host}:${port} (URLMETA_HOST, URLMETA_PORT): ${why}`, { cause })
  }
}

/** How often the number of pending requests is checked while the server stops, in milliseconds. */
const DRAIN_POLL_MS = 10

/** How long a stopping server waits for request bodies that have not arrived, in milliseconds. */
const BODY_GRACE_MS = 1_000

/**
 * Stops accepting connections, waits at most `DRAIN_MS` for requests in progress, and closes all connections, including
 * idle connections and connections with an incomplete request. Resolves to whether all requests had finished.
 */
async function drain({ http, requests }: App): Promise<boolean> {
  const startedAtMs = performance.now()
  const elapsedMs = () => performance.now() - startedAtMs
  // Resolves when every connection is closed; an idle client could delay that.
  const closed = http.stop()
  const isBusy = () => {
    const { pending, arriving } = requests()
    return elapsedMs() < BODY_GRACE_MS ? pending > 0 : pending > arriving
  }
  while (isBusy() && elapsedMs() < DRAIN_MS) await Bun.sleep(DRAIN_POLL_MS)
  const isDrained = !isBusy()
  await requests().closeAll()
  await closed
  return isDrained
}

function onSignals() {
  const controller = new AbortController()
  let reload = () => {}
  const stopOn = (signal: NodeJS.Signals, number: number) =>
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(128 + number)
      controller.abort(signal)
    })
  stopOn('SIGINT', 2)
  stopOn('SIGTERM', 15)
  if (process.stdout.isTTY) stopOn('SIGHUP', 1)
  else process.on('SIGHUP', () => reload())
  return {
    /**
     * Aborts at the first SIGTERM or SIGINT, with the name of the signal as the reason. A second signal terminates the
     * process immediately.
     */
    stop: controller.signal,
    /**
     * Sets the function that SIGHUP calls. Before that, SIGHUP is ignored. On a terminal, SIGHUP stops the server
     * instead.
     */
    onReload: (run: () => void) => void (reload = run),
  }
}
