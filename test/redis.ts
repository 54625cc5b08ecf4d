import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

/** A Redis server on a free loopback port with a temporary data directory. Disposing it stops it and deletes the data. */
export interface RedisServer extends AsyncDisposable {
  readonly port: number
  readonly url: string
  pid(): number
  /** Runs a command on a new connection. */
  command(name: string, ...args: string[]): Promise<unknown>
  /** Kills it, like a crash. */
  kill(): Promise<void>
  /** Starts it again on the same port, without its data. */
  start(): Promise<void>
  /** Suspends it until `resume`, without closing connections. */
  pause(): void
  resume(): void
}

/** The deadline for its start, in milliseconds. */
const START_MS = 20_000

/** @param options of the command line, such as `--requirepass pw` */
export async function startRedis(executable: string, options: readonly string[] = []): Promise<RedisServer> {
  const dir = mkdtempSync(join(tmpdir(), 'urlmeta-redis-'))
  const port = freePort()
  const url = `redis://127.0.0.1:${port}`
  const usual = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'no']
  let server: Bun.Subprocess<'ignore', 'pipe', 'ignore'> | null = null

  async function start() {
    server = Bun.spawn([executable, ...usual, ...options], { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' })
    const timer = setTimeout(() => server?.kill('SIGKILL'), START_MS)
    let output = ''
    for await (const text of server.stdout.pipeThrough(new TextDecoderStream())) {
      output += text
      if (output.includes('Ready to accept connections')) return clearTimeout(timer)
    }
    throw new Error(`Redis did not start: ${output}`)
  }

  async function kill() {
    server?.kill('SIGKILL')
    await server?.exited
  }

  await start()
  return {
    port,
    url,
    pid: () => server!.pid,
    async command(name, ...args) {
      const client = new Bun.RedisClient(url)
      try {
        return await client.send(name, args)
      } finally {
        client.close()
      }
    },
    start,
    kill,
    pause: () => server?.kill('SIGSTOP'),
    resume: () => server?.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await kill()
      rmSync(dir, { recursive: true })
    },
  }
}
