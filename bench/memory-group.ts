// A control group with a memory limit, for the processes of one server. Needs root. Linux only.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files of both versions of control groups: Documentation/admin-guide of Linux, cgroup-v1/memory.rst and cgroup-v2.rst. */
const VERSIONS = [
  {
    root: '/sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    peak: 'memory.max_usage_in_bytes',
    events: 'memory.oom_control',
    anonymous: 'total_rss',
  },
  { root: '/sys/fs/cgroup', limit: 'memory.max', peak: 'memory.peak', events: 'memory.events', anonymous: 'anon' },
] as const

const SAMPLE_MS = 100
const MEGABYTE = 1_048_576

export interface MemoryGroup extends Disposable {
  /** The file to write the process id of a member to. Its children are members too. */
  members: string
  /** The ids of all members. */
  pids(): number[]
  /** The most memory that the group used, in megabytes, with the files in its cache, which the kernel can drop. */
  peak(): number
  /** The most memory that was not of files, in megabytes, sampled. */
  peakAnonymous(): number
  oomKills(): number
}

/** Creates a group below that of this process, whose limits apply too. Disposing it requires that its members have exited. */
export function createMemoryGroup(megabytes: number): MemoryGroup {
  const version = VERSIONS.find(
    ({ root, limit }) => existsSync(join(root, limit)) || existsSync(join(root, 'cgroup.controllers')),
  )
  if (version === undefined) throw new Error('no control groups in /sys/fs/cgroup')
  // A group of version 2 with processes of its own cannot have groups with limits below it.
  const parent =
    version === VERSIONS[0] ? (/:memory:(.*)/.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1] ?? '') : ''
  const dir = join(version.root, parent, `urlmeta-bench-${process.pid}`)
  const read = (name: string) => readFileSync(join(dir, name), 'utf8')
  const numberIn = (name: string, key: string) => Number(new RegExp(`^${key} (\\d+)`, 'm').exec(read(name))?.[1] ?? 0)
  mkdirSync(dir)
  writeFileSync(join(dir, version.limit), String(megabytes * MEGABYTE))
  let anonymous = 0
  const timer = setInterval(() => {
    anonymous = Math.max(anonymous, numberIn('memory.stat', version.anonymous))
  }, SAMPLE_MS)
  const members = join(dir, 'cgroup.procs')
  return {
    members,
    pids: () => read('cgroup.procs').split('\n').filter(Boolean).map(Number),
    peak: () => Math.round(Number(read(version.peak)) / MEGABYTE),
    peakAnonymous: () => Math.round(anonymous / MEGABYTE),
    oomKills: () => numberIn(version.events, 'oom_kill'),
    [Symbol.dispose]() {
      clearInterval(timer)
      rmdirSync(dir)
    },
  }
}
