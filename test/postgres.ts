import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { SQL } from 'bun'
import { freePort } from './free-port.ts'

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  'shared_buffers=32MB',
]

/** Nothing is synced to disk, because tests only stop the server, not the machine. */
const FAST_SETTINGS = ['fsync=off', 'full_page_writes=off']

/** How long the server may take to start or stop, in seconds. */
const WAIT_SECONDS = '60'

/** The number of ports to try. */
const MAX_STARTS = 5

/** Data directories without a database, because `initdb` takes longer than a copy of what it created. */
const EMPTY_CLUSTERS = join(import.meta.dir, '../node_modules/.cache/postgres')

/** A PostgreSQL server with a temporary data directory. Disposing it stops the server and deletes the data. */
export interface PostgresServer extends AsyncDisposable {
  /** Creates a database and returns its URL. It is empty, or a copy of the database at another URL. */
  createDatabase(copyOf?: string): Promise<string>
  /** Stops the server immediately, like a crash: connections are closed. */
  stop(): Promise<void>
  /** Starts the server again on the same port. */
  start(): Promise<void>
  /** The main process and its children, such as one per connection. */
  pids(): [main: number, ...children: number[]]
  /** Suspends and continues the processes of the server, as if its machine hung. */
  pause(): Promise<void>
  resume(): void
  /** Starts a standby, which replays what this server writes; its disposal stops it. */
  startStandby(): Promise<AsyncDisposable & { port: number }>
  /** Starts PgBouncer in front of the server. */
  startPooler(program: string, settings: Record<string, string>): Promise<AsyncDisposable & { port: number }>
}

/**
 * Starts a server from the programs in `binDir` on a free loopback port.
 * @param settings such as `fsync=off`
 */
export async function startPostgres(
  binDir: string,
  settings: readonly string[] = FAST_SETTINGS,
): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), 'urlmeta-postgres-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rmSync(directory, { recursive: true, force: true }))
  const dataDir = join(directory, 'data')
  const user = accountOf('postgres')
  // The server refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(directory, user.uid, user.gid)

  const spawn = (...command: string[]) =>
    Bun.spawn(
      isRoot ? ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', ...command] : command,
      {
        cwd: directory,
        stdout: 'ignore',
        stderr: Bun.file(join(directory, 'stderr')),
      },
    )
  async function run(program: string, ...args: string[]) {
    const child = spawn(join(binDir, program), ...args)
    if ((await child.exited) !== 0) throw new Error(`${program}: ${readFileSync(join(directory, 'stderr'), 'utf8')}`)
  }

  let port = freePort()
  const options = () => [`-p ${port}`, ...[...SETTINGS, ...settings].map((setting) => `-c ${setting}`)].join(' ')
  const log = join(directory, 'log')
  const start = () => run('pg_ctl', 'start', '-D', dataDir, '-o', options(), '-l', log, '-w', '-t', WAIT_SECONDS)
  const stop = () => run('pg_ctl', 'stop', '-D', dataDir, '-m', 'immediate', '-w', '-t', WAIT_SECONDS)
  const mainPid = () => Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0])
  const childPids = () => {
    const lines = Bun.spawnSync(['pgrep', '-P', String(mainPid())])
      .stdout.toString()
      .split('\n')
    return lines.filter(Boolean).map(Number)
  }
  const signalChildren = (name: NodeJS.Signals) => {
    for (const pid of childPids()) {
      try {
        process.kill(pid, name)
      } catch {
        // The process has exited in the meantime.
      }
    }
  }
  const pause = async () => {
    process.kill(mainPid(), 'SIGSTOP')
    // Until it has stopped, it may start another child.
    while (!isStopped(mainPid())) await Bun.sleep(5)
    signalChildren('SIGSTOP')
  }
  const resume = () => {
    signalChildren('SIGCONT')
    process.kill(mainPid(), 'SIGCONT')
  }

  const empty = join(EMPTY_CLUSTERS, `${versionOf(binDir)} of ${isRoot ? user.uid : process.getuid?.()}`)
  if (!existsSync(empty)) {
    await run('initdb', '-D', dataDir, '-U', 'urlmeta', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync')
    keepCopy(dataDir, empty)
  } else copyDirectory(empty, dataDir)
  for (let tries = 1; ; tries++) {
    try {
      await start()
      break
    } catch (error) {
      // Another program may have taken the port in the meantime.
      if (tries === MAX_STARTS) throw new Error(readFileSync(log, 'utf8'), { cause: error })
      port = freePort()
    }
  }
  stack.defer(() => stop().catch(() => {}))
  const url = (database: string) => `postgres://urlmeta:secret@127.0.0.1:${port}/${database}`
  let databases = 0
  // Takes half the CPU time of the default since PostgreSQL 15, which writes the copy to the log.
  const strategy = Number.parseInt(versionOf(binDir), 10) >= 15 ? ' STRATEGY FILE_COPY' : ''

  const owned = stack.move()
  return {
    async createDatabase(copyOf = url('template1')) {
      const name = `test${databases++}`
      await using admin = new SQL({ url: url('postgres'), max: 1 })
      await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${new URL(copyOf).pathname.slice(1)}${strategy}`)
      return url(name)
    },
    start,
    stop,
    pids: () => [mainPid(), ...childPids()],
    pause,
    resume,
    async startStandby() {
      const copy = join(directory, 'standby')
      const standbyPort = freePort()
      const ownOptions = options().replace(`-p ${port}`, `-p ${standbyPort}`)
      await run('pg_basebackup', '-R', '-D', copy, '-d', url('postgres'), '--checkpoint=fast', '--no-sync')
      await run('pg_ctl', 'start', '-D', copy, '-o', ownOptions, '-l', `${copy}.log`, '-w', '-t', WAIT_SECONDS)
      return {
        port: standbyPort,
        [Symbol.asyncDispose]: () => run('pg_ctl', 'stop', '-D', copy, '-m', 'immediate', '-w', '-t', WAIT_SECONDS),
      }
    },
    async startPooler(program, poolerSettings) {
      const poolerPort = freePort()
      const file = join(directory, `pgbouncer-${poolerPort}.ini`)
      const all = {
        listen_addr: '127.0.0.1',
        listen_port: poolerPort,
        unix_socket_dir: '',
        auth_type: 'any',
        ...poolerSettings,
      }
      const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
      const database = `* = host=127.0.0.1 port=${port} user=urlmeta`
      writeFileSync(file, ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'))
      const child = spawn(program, '--quiet', file)
      while (!(await isListening(poolerPort))) await Bun.sleep(10)
      return {
        port: poolerPort,
        async [Symbol.asyncDispose]() {
          child.kill('SIGKILL')
          await child.exited
        },
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Such as `15.14`. */
function versionOf(binDir: string): string {
  const text = Bun.spawnSync([join(binDir, 'postgres'), '--version']).stdout.toString()
  return text.match(/[\d.]+/)![0]
}

/** Copies a directory with owners and permissions. */
function copyDirectory(from: string, to: string) {
  const { success, stderr } = Bun.spawnSync(['cp', '-a', from, to])
  if (!success) throw new Error(stderr.toString())
}

/** Copies a directory to a path at which another process may do the same. */
function keepCopy(from: string, to: string) {
  mkdirSync(dirname(to), { recursive: true })
  const own = `${to} ${process.pid}`
  copyDirectory(from, own)
  try {
    renameSync(own, to)
  } catch {
    rmSync(own, { recursive: true })
  }
}

async function isListening(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } })
    socket.end()
    return true
  } catch {
    return false
  }
}

function isStopped(pid: number): boolean {
  return Bun.spawnSync(['ps', '-o', 'stat=', '-p', String(pid)])
    .stdout.toString()
    .startsWith('T')
}

function accountOf(name: string): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return { uid: Number(uid), gid: Number(gid) }
}
