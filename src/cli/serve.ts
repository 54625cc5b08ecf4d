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
    .action(async () => {
      const config = configOf(env)
      await serve(config, createLog({ level: config.logLevel }), stopSignal())
    })
}

/** The whole life of the server: open, listen, wait, drain, close. */
async function serve(config: Config, log: Log, stop: AbortSignal) {
  await using app = await composeApp(config, log)
  listen(app, config)
  const { port } = app.http.server!
  const address = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`
  // Said at every log level: without the address and the link nobody gets in.
  const voice = createLog({ level: 'info' })
  voice.info({ address, baseUrl: app.baseUrl() }, `urlmeta ${VERSION} listens on ${address}`)
  const link = await app.firstSignInLink()
  if (link !== null) voice.info({ link }, `no identity provider is set up; sign in once within 15 minutes: ${link}`)

  if (!stop.aborted) await once(stop, 'abort')
  log.info({ signal: stop.reason }, 'stopping: requests under way are finished first')
  if (!(await drained(app))) log.warn({ afterMs: DRAIN_MS }, 'requests were still under way and are cut off')
}

function listen(app: App, { host, port }: Config) {
  try {
    app.http.listen({ hostname: host, port })
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

/** Accepts nothing more and lets requests finish, for as long as `DRAIN_MS`; says whether they did. */
async function drained({ http }: App): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(() => resolve(false), DRAIN_MS)
  const inTime = await Promise.race([http.stop().then(() => true as const), late])
  clearTimeout(timer)
  if (!inTime) await http.stop(true)
  return inTime
}

/** Aborts at the first SIGTERM or SIGINT, with its name as the reason; a second one ends the process at once. */
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
