import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { EXECUTABLE, type Finished } from './executable.ts'
import { until } from './site.ts'

/** A block of shell commands in a document. */
export interface ShellBlock {
  /** The document and the first command: `README.md: npm start`. */
  name: string
  /** The commands and comments; without the prompts and the output of a block that shows both. */
  lines: string[]
}

/** The blocks of a document that are marked as `sh` or, with prompts and output, as `console`. */
export function shellBlocks(path: string, text: string): ShellBlock[] {
  return [...text.matchAll(/^( *)```(?:sh|console)\n(.*?)^ *```$/gms)].map(([, indent = '', block = '']) => {
    const all = block.split('\n').map((line) => line.slice(indent.length))
    const hasPrompts = all[0]!.startsWith('$ ')
    const lines = hasPrompts ? commandsOf(all) : all.filter((line) => line !== '')
    const first = lines.find((line) => !line.startsWith('#')) ?? ''
    return { name: `${path}: ${first.replace(/ \\$/, '').replaceAll(/ +/g, ' ')}`, lines }
  })
}

/** The commands after `$ `, with the lines that continue them. The other lines are output. */
function commandsOf(lines: readonly string[]): string[] {
  return lines.flatMap((line, i) => {
    if (line.startsWith('$ ')) return [line.slice(2)]
    return lines[i - 1]?.endsWith('\\') ? [line] : []
  })
}

/** Stands for systemd: `service.env` has the environment of the service, and its output is in `service.log`. */
const SYSTEMCTL = `#!/bin/sh
# A process that has exited exists until init has waited for it, which takes long in some containers.
is_running() {
  kill -0 "$1" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null
}
stop() {
  [ -f service.pid ] || return 0
  pid=$(cat service.pid)
  kill "$pid"
  while is_running "$pid"; do sleep 0.05; done
  rm service.pid
}
start() {
  : >service.log
  (set -a; . ./service.env; exec urlmeta serve) >service.log 2>&1 &
  echo $! >service.pid
  until grep -q 'listens on' service.log; do
    kill -0 "$(cat service.pid)" || { cat service.log >&2; exit 1; }
    sleep 0.05
  done
}
case $1 in
  stop) stop ;;
  start) start ;;
  restart) stop; start ;;
esac
`

/** Runs the command as the user of the tests. */
const SUDO = `#!/bin/sh
if [ "$1" = -u ]; then shift 2; fi
exec "$@"
`

/** A machine on which the commands of the documents run: a directory with the executable and stand-ins on its PATH. */
export interface Machine extends AsyncDisposable {
  dir: string
  env: Record<string, string>
  /** Runs lines of shell until the first one fails. */
  run(lines: readonly string[]): Promise<Finished>
  /** Runs lines of shell that start a server, until it listens; returns its address. Disposing the machine stops it. */
  serve(lines: readonly string[]): Promise<string>
  /** Writes the environment of the service. */
  configure(env: Readonly<Record<string, string>>): void
}

/** @param programs directories of other programs, searched before the system's */
export function createMachine(dir: string, programs: readonly string[] = []): Machine {
  const bin = join(dir, 'bin')
  mkdirSync(bin)
  mkdirSync(join(dir, 'backups'))
  const scripts = { systemctl: SYSTEMCTL, sudo: SUDO, urlmeta: `#!/bin/sh\nexec ${EXECUTABLE} "$@"\n` }
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), text)
    chmodSync(join(bin, name), 0o755)
  }
  const env: Record<string, string> = {
    PATH: [bin, ...programs, process.env['PATH']].join(':'),
    HOME: dir,
    URLMETA_CHROMIUM: 'off',
  }
  // Output goes to files, because a service that a command starts would keep a pipe open.
  let spawned = 0
  const spawn = (lines: readonly string[]) => {
    const path = join(dir, String(++spawned))
    const files = { stdout: Bun.file(`${path}.out`), stderr: Bun.file(`${path}.err`) }
    const command = ['bash', '-euo', 'pipefail', '-c', lines.join('\n')]
    const { stdout, stderr } = files
    return { child: Bun.spawn(command, { cwd: dir, env, stdin: 'ignore', stdout, stderr }), ...files }
  }
  const servers: Bun.Subprocess[] = []

  return {
    dir,
    env,
    async run(lines) {
      const { child, stdout, stderr } = spawn(lines)
      return { code: await child.exited, stdout: await stdout.text(), stderr: await stderr.text() }
    },
    async serve(lines) {
      const { child, stdout, stderr } = spawn(lines)
      servers.push(child)
      let address: string | undefined
      await until(async () => {
        if (child.exitCode !== null) throw new Error(await stderr.text())
        address = /listens on (http:\/\/[^"\s]+)/.exec(await stdout.text())?.[1]
        return address !== undefined
      })
      return address!
    },
    configure(settings) {
      writeFileSync(
        join(dir, 'service.env'),
        Object.entries(settings)
          .map(([name, value]) => `${name}='${value}'\n`)
          .join(''),
      )
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.kill()
      await Promise.all(servers.map(({ exited }) => exited))
      await spawn(['systemctl stop']).child.exited
    },
  }
}
