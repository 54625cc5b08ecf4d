import { readFileSync, statfsSync } from 'node:fs'

const MEMORY_DISK = '/dev/shm'

/** The temporary files of all test processes fit in it. In a container, the file system in memory often has only 64 MB. */
const MIN_FREE_BYTES = 2 * 2 ** 30

/** Whether the system has a file system in memory with enough space, from which programs can be run. */
function isUsable(): boolean {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === MEMORY_DISK)
    const { bavail, bsize } = statfsSync(MEMORY_DISK)
    return mount !== undefined && !/\b(?:noexec|ro)\b/.test(mount.split(' ')[3]!) && bavail * bsize >= MIN_FREE_BYTES
  } catch {
    return false
  }
}

// Syncs of databases to a disk are a large part of the time of the tests. TMPDIR can be set to another directory.
if (process.env['TMPDIR'] === undefined && isUsable()) process.env['TMPDIR'] = MEMORY_DISK
