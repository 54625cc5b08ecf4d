import { closeSync, openSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { parseCoverage, type Coverage } from './coverage.ts'

/** For a mutant that loops: the processor time of a process, which does not depend on the load of the machine. */
const CPU_SECONDS = 15
const CPU_FACTOR = 3

/** For a mutant that loops and allocates. */
const MAX_MEMORY_BYTES = 4 * 1024 ** 3
const MEMORY_CHECK_MS = 250
const PAGE_BYTES = 4_096

/** For a mutant that waits forever outside of a test, where `--timeout` has no effect. */
const WAIT_MS = 180_000
const WAIT_FACTOR = 10

export type Verdict = 'passed' | 'failed' | 'timed out'

/** A copy of the working tree, in which files are mutated and tested. Disposing it deletes it. */
export interface WorkingCopy extends AsyncDisposable {
  write(path: string, source: string): Promise<void>
  /** Runs one test file until its first failure. */
  test(path: string, usualMs: number): Promise<Verdict>
  /** Runs one test file; null if it does not pass. */
  cover(path: string, usualMs: number): Promise<Coverage | null>
}

export async function openWorkingCopy(root: string): Promise<WorkingCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'urlmeta-mutation-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  // Tests start PostgreSQL as another user.
  await chmod(folder, 0o711)
  const tree = join(folder, 'tree')
  const listed = Bun.spawnSync(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const path of listed.stdout.toString().split('\0').filter(Boolean)) {
    if (!(await Bun.file(join(root, path)).exists())) continue
    await mkdir(dirname(join(tree, path)), { recursive: true })
    await cp(join(root, path), join(tree, path))
  }
  await symlink(join(root, 'node_modules'), join(tree, 'node_modules'))
  const output = join(folder, 'output')
  const coverage = join(folder, 'coverage')
  const { TEST_BUILT: _, ...env } = process.env

  let runs = 0

  async function run(path: string, usualMs: number, options: readonly string[]): Promise<Verdict> {
    // A directory for each run, because a process of an earlier one may still write to its own.
    const temporary = join(folder, `tmp${++runs}`)
    await mkdir(temporary, { mode: 0o711 })
    const log = openSync(output, 'w')
    const seconds = CPU_SECONDS + Math.ceil((CPU_FACTOR * usualMs) / 1_000)
    const command = [process.execPath, 'test', '--bail', '--timeout=30000', ...options, path]
    const child = Bun.spawn(['sh', '-c', `ulimit -t ${seconds}; exec "$@"`, 'sh', ...command], {
      cwd: tree,
      env: { ...env, TMPDIR: temporary },
      stdin: 'ignore',
      stdout: 'ignore',
      // A pipe would stay open while a process that the test has started runs.
      stderr: log,
      // A group of its own, which is killed with everything that it started.
      detached: true,
    })
    let isOverLimit = false
    const stop = () => {
      isOverLimit = true
      killGroup(child.pid)
    }
    const timeout = setTimeout(stop, WAIT_MS + WAIT_FACTOR * usualMs)
    const check = setInterval(() => void (residentBytes(child.pid) > MAX_MEMORY_BYTES && stop()), MEMORY_CHECK_MS)
    const code = await child.exited
    clearTimeout(timeout)
    clearInterval(check)
    killGroup(child.pid)
    closeSync(log)
    // A PostgreSQL server leaves the group, and ends when its data directory is gone.
    await rm(temporary, { recursive: true, force: true })
    if (isOverLimit || child.signalCode === 'SIGXCPU') return 'timed out'
    // A process that exits before its tests have run has the code 0, but no summary.
    return code === 0 && /^Ran \d+ test/m.test(await Bun.file(output).text()) ? 'passed' : 'failed'
  }

  const owned = stack.move()
  return {
    write: async (path, source) => void (await Bun.write(join(tree, path), source)),
    test: (path, usualMs) => run(path, usualMs, []),

    async cover(path, usualMs) {
      const options = ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${coverage}`]
      if ((await run(path, usualMs, options)) !== 'passed') return null
      return parseCoverage(await Bun.file(join(coverage, 'lcov.info')).text())
    },

    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** On systems without `/proc`, 0. */
function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES
  } catch {
    // The process has exited.
    return 0
  }
}

function killGroup(pid: number) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of its processes have exited.
  }
}
