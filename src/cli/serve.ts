import { once } from 'node:events'

import type { Command } from '@commander-js/extra-typings'

import { type App, composeApp } from '../compose.ts'
import type { Config } from '../config.ts'
import { AppError, messageOf } from '../core/errors.ts'
import { DRAIN_MS } from '../core/limits.ts'
import type { Setting } from '../config/env-reader.ts'
import { createLog, type ProcessLog } from '../log.ts'
import { VERSION } from '../version.ts'
import { type CommandContext, EXIT } from './command.ts'
import { settingsOf } from './environment.ts'
import { type Configured, reloadOf } from './reload.ts'

/** How long the last lines of the log may take when the server stops and their reader is slow; in milliseconds. */
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
      const readConfig = () => settingsOf(env, flags)
      const start = readConfig()
      const log = createLog({ level: start.config.logLevel })
      await serve(start, log, readConfig)
      // A write that a hanging reader never takes would keep the process alive.
      if (!(await log.flush(LOG_FLUSH_MS))) process.exit(EXIT.done)
    })
}

/** Runs the server until a stop signal, then waits for requests in progress and closes everything. */
async function serve({ config, settings }: Configured, log: ProcessLog, readConfig: () => Configured) {
  const signals = onSignals()
  await using app = await composeApp(config, log)
  await using _listening = listen(app, config)
  const { port } = app.http.server!
  signals.onReload(reloader(app, settings, log, readConfig))
  const address = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`
  const link = await app.firstSignInLink()
  // Logged at every level: the server cannot be used without its address and the sign-in link.
  const startLog = log.atLevel('info')
  startLog.info({ address, baseUrl: app.baseUrl() }, `urlmeta ${VERSION} listens on ${address}`)
  if (link !== null) {
    startLog.info(
      { link },
      `no identity provider is configured; this link signs in once and expires in 15 minutes: ${link}`,
    )
  }
  failUnlessPrinted(log)
  log.onFirstFailure((error) =>
    process.stderr.write(`urlmeta: writing the log failed; lines are dropped until it succeeds: ${error.message}\n`),
  )

  const { stop } = signals
  if (!stop.aborted) await once(stop, 'abort')
  app.announceStop()
  const { shutdownDelayMs } = config
  if (shutdownDelayMs > 0) {
    log.info({ signal: stop.reason, ms: shutdownDelayMs }, 'stopping: /readyz is 503; serving until balancers know')
    await Bun.sleep(shutdownDelayMs)
  }
  log.info({ signal: stop.reason }, 'stopping: waiting for requests in progress')
  if (!(await drained(app)))
    log.warn({ afterMs: DRAIN_MS }, 'stopping: closing connections of requests still in progress')
}

/** Stops the start when the address cannot be printed, unless the reader closed the pipe. @throws AppError */
function failUnlessPrinted(log: ProcessLog) {
  const cause = log.failure()
  if (cause === null || cause.code === 'EPIPE') return
  throw new AppError('internal', `Cannot write to standard output: ${cause.message}`, { cause })
}

/** Applies what can change while the server runs; an invalid configuration changes nothing. */
function reloader(app: App, started: readonly Setting[], log: ProcessLog, readConfig: () => Configured): () => void {
  let inEffect = started
  return () => {
    try {
      const { config, changed, needRestart, settings } = reloadOf(inEffect, readConfig())
      app.reload(config)
      log.setLevel(config.logLevel)
      inEffect = settings
      const reloadLog = log.atLevel('info')
      reloadLog.info({ changed }, 'configuration reloaded')
      if (needRestart.length > 0) {
        reloadLog.warn({ variables: needRestart }, 'these settings changed and take effect at the next start')
      }
    } catch (err) {
      log.error({ err }, 'reloading the configuration failed; nothing was changed')
    }
  }
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

/** Between two looks at whether requests are still under way, in milliseconds. */
const DRAIN_POLL_MS = 10

/** How long a request whose body has not arrived yet may take to send it when the server stops, in milliseconds. */
const BODY_GRACE_MS = 1_000

/**
 * Accepts nothing more and lets requests finish, for as long as `DRAIN_MS`; says whether they did. Connections without a
 * whole request on them are closed: idle ones, and those that were left half-sent.
 */
async function drained({ http, requests }: App): Promise<boolean> {
  const startedAtMs = performance.now()
  const passedMs = () => performance.now() - startedAtMs
  // Resolves when every connection is closed, which somebody who sends nothing more could put off.
  const closed = http.stop()
  const isBusy = () => {
    const { pending, arriving } = requests()
    return passedMs() < BODY_GRACE_MS ? pending > 0 : pending > arriving
  }
  while (isBusy() && passedMs() < DRAIN_MS) await Bun.sleep(DRAIN_POLL_MS)
  const inTime = !isBusy()
  await requests().cut()
  await closed
  return inTime
}

interface Signals {
  /** Aborts at the first SIGTERM or SIGINT, with its name as the reason; a second one ends the process at once. */
  stop: AbortSignal
  /** SIGHUP does nothing until the server runs. On a terminal it says that the terminal is gone, and stops. */
  onReload(reload: () => void): void
}

function onSignals(): Signals {
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
  return { stop: controller.signal, onReload: (run) => void (reload = run) }
}
