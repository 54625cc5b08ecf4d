// The servers that benchmarks start: the executable in a temporary directory, and scripts in this directory.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The executable that is measured. */
export const EXECUTABLE = process.env['URLMETA_EXECUTABLE'] ?? join(import.meta.dir, '../dist/urlmeta')

/** A running server process. Disposing it stops it and waits until it has exited. */
export interface Server extends AsyncDisposable {
  pid: number
  /** The origin, such as `http://127.0.0.1:3000`. */
  base: string
  /** Stops it and returns its exit code. */
  stop(): Promise<number>
  /** Kills it with SIGKILL. */
  kill(): Promise<unknown>
}

/** A temporary data directory with a key that has practically no limits. */
export interface Installation extends Disposable {
  dir: string
  key: string
  /** Creates another key, and its user if there is none. */
  createKey(email: string): string
  /** Runs a command of the executable and returns its output. */
  command(...args: string[]): string
  /** Starts the executable with this data, by `wrapper` if given. With PostgreSQL, any number can run at the same time. */
  start(wrapper?: readonly string[]): Promise<Server>
}

/**
 * Creates an installation that may fetch from `originPort` on loopback. `env` contains additional variables.
 * @param kept a directory with the data of an earlier run, or for that of this one, which disposing does not delete
 */
export function createInstallation(
  originPort: number,
  env: Readonly<Record<string, string>> = {},
  kept?: string,
): Installation {
  const dir = kept ?? mkdtempSync(join(tmpdir(), 'urlmeta-bench-'))
  mkdirSync(dir, { recursive: true })
  const options = {
    cwd: dir,
    env: {
      URLMETA_PORT: '0',
      URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${originPort}`,
      URLMETA_PLAN_FREE_PER_MINUTE: '1000000',
      URLMETA_PLAN_FREE_PER_MONTH: '100000000',
      ...env,
    },
  }
  const command = (...args: string[]) => Bun.spawnSync([EXECUTABLE, ...args], options).stdout.toString()
  const createKey = (email: string) =>
    (JSON.parse(command('key', 'create', '--email', email, '--json')) as { key: string }).key
  let started = 0
  return {
    dir,
    key: createKey('bench@example.com'),
    createKey,
    command,
    async start(wrapper = []) {
      // A file, not a pipe, because reading a pipe would use CPU time.
      const log = Bun.file(join(dir, `log-${++started}`))
      await Bun.write(log, '')
      const child = Bun.spawn([...wrapper, EXECUTABLE], { ...options, stdout: log, stderr: 'inherit' })
      for (;;) {
        const base = /listens on (http:\/\/[^"\s]+)/.exec(await log.text())?.[1]
        if (base !== undefined) return serverOf(child, base)
        if (child.exitCode !== null) throw new Error('the server exited before it listened')
        await Bun.sleep(1)
      }
    },
    [Symbol.dispose]() {
      if (kept === undefined) rmSync(dir, { recursive: true })
    },
  }
}

/** Starts a script of this directory that prints its port. */
export async function startScript(script: string, args: readonly string[]): Promise<Server> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, script), ...args], { stderr: 'inherit' })
  for await (const chunk of child.stdout) {
    return serverOf(child, `http://127.0.0.1:${new TextDecoder().decode(chunk).trim()}`)
  }
  throw new Error(`${script} exited before it listened`)
}

function serverOf(child: Bun.Subprocess, base: string): Server {
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return child.exited
  }
  const stop = () => end('SIGTERM')
  return {
    pid: child.pid,
    base,
    stop,
    kill: () => end('SIGKILL'),
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}
