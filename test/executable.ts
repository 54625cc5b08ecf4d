import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { isThorough } from './thorough.ts'

const ROOT = join(import.meta.dir, '..')
/** The executable, built from this tree. */
export const EXECUTABLE = join(ROOT, 'dist/urlmeta')

// Built when the test file is loaded, because tests and hooks have a timeout. `npm test` builds it before.
if (process.env['TEST_BUILT'] !== '1') {
  const child = Bun.spawn([process.execPath, 'build.ts'], { cwd: ROOT, stdout: 'ignore', stderr: 'pipe' })
  if ((await child.exited) !== 0) throw new Error(await child.stderr.text())
  // For the other files that this process runs.
  process.env['TEST_BUILT'] = '1'
}

export interface Finished {
  code: number
  stdout: string
  stderr: string
}

export interface Workspace extends AsyncDisposable {
  /** An empty directory, where the executable is run. */
  dir: string
  /** Runs a command until it exits. */
  run(args: string[], env?: Record<string, string>, stdin?: string): Promise<Finished>
  /** Runs a shell command line in which `urlmeta` is the executable. */
  shell(line: string, env?: Record<string, string>): Promise<Finished>
  /** Runs a shell command line on a pseudo-terminal, 80 columns wide. */
  terminal(line: string, env?: Record<string, string>): Terminal
  /** Starts `serve` on a free port and waits until it listens. */
  serve(env?: Record<string, string>, args?: string[]): Promise<Service>
}

export interface Terminal {
  /** The terminal output so far. */
  output: () => string
  /** Types text; `\x03` is Ctrl-C. */
  type(text: string): void
  exited: Promise<number>
}

export interface Service {
  url: string
  pid: number
  /** The output so far. */
  output: () => string
  kill(signal: NodeJS.Signals): void
  /** The exit code, once all output is read. */
  exited: Promise<number>
}

/** An empty directory, and the executable to run there, or another one. */
export function openWorkspace(executable = EXECUTABLE): Workspace {
  const dir = mkdtempSync(join(tmpdir(), 'urlmeta-binary-'))
  const children: Bun.Subprocess[] = []
  // By default the executable reads pages in the main thread: a worker takes almost a third of the CPU time of a start.
  const workers = process.env['TEST_WORKERS'] ?? (isThorough ? undefined : '0')
  // Only the system's own variables are inherited from the environment of the tests.
  const base = {
    PATH: process.env['PATH'] ?? '',
    HOME: dir,
    URLMETA_CHROMIUM: 'off',
    ...(workers !== undefined && { URLMETA_WORKERS: workers }),
    // Most processes end before optimized code saves the time that it takes to compile.
    ...(!isThorough && { BUN_JSC_useDFGJIT: '0' }),
  }

  async function finish(command: string[], env: Record<string, string>, stdin: string): Promise<Finished> {
    const child = Bun.spawn(command, {
      cwd: dir,
      env: { ...base, ...env },
      stdin: Buffer.from(stdin),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    children.push(child)
    const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
    return { code, stdout, stderr }
  }

  return {
    dir,
    run: (args, env = {}, stdin = '') => finish([executable, ...args], env, stdin),
    shell: (line, env = {}) => finish(['sh', '-c', `urlmeta() { ${executable} "$@"; }; ${line}`], env, ''),

    terminal(line, env = {}) {
      let output = ''
      const decoder = new TextDecoder()
      const child = Bun.spawn(['sh', '-c', `urlmeta() { ${executable} "$@"; }; ${line}`], {
        cwd: dir,
        env: { ...base, TERM: 'xterm', ...env },
        terminal: { cols: 80, rows: 24, data: (_, data) => void (output += decoder.decode(data, { stream: true })) },
      })
      children.push(child)
      return {
        output: () => output,
        type: (text) => void child.terminal!.write(text),
        exited: child.exited,
      }
    },

    async serve(env = {}, args = []) {
      const child = Bun.spawn([executable, ...args], {
        cwd: dir,
        env: { ...base, URLMETA_PORT: '0', ...env },
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      })
      children.push(child)
      let output = ''
      const listening = Promise.withResolvers<string>()
      const read = async (stream: ReadableStream<Uint8Array>) => {
        for await (const chunk of stream) {
          output += Buffer.from(chunk).toString()
          const address = /listens on (http:\/\/[^"\s]+)/.exec(output)?.[1]
          if (address) listening.resolve(address)
        }
        listening.reject(new Error(`it ended before it listened:\n${output}`))
      }
      const reads = Promise.all([read(child.stdout), read(child.stderr)])
      return {
        url: await listening.promise,
        pid: child.pid,
        output: () => output,
        kill: (signal) => child.kill(signal),
        exited: child.exited.then(async (code) => (await reads, code)),
      }
    },

    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill('SIGKILL')
      await Promise.all(children.map((child) => child.exited))
      if (existsSync(dir)) rmSync(dir, { recursive: true })
    },
  }
}
