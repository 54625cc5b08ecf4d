import { describe } from 'bun:test'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Only root can mount a small file system; without root, tests that need one are skipped. */
export const describeRoot = process.getuid?.() === 0 && process.platform === 'linux' ? describe : describe.skip

/** Mounts a file system of the given size in a directory; disposing it unmounts it. */
export function smallDisk(directory: string, kilobytes: number) {
  const path = join(directory, 'disk')
  mkdirSync(path)
  const run = (...command: string[]) => {
    const { success, stderr } = Bun.spawnSync(command)
    if (!success) throw new Error(stderr.toString())
  }
  run('mount', '-t', 'tmpfs', '-o', `size=${kilobytes}k,mode=700`, 'tmpfs', path)
  const filler = join(path, 'filler')
  return {
    path,
    /** Uses all remaining space. */
    fill() {
      const fd = openSync(filler, 'a')
      for (const size of [65_536, 4_096, 1]) {
        try {
          for (;;) writeSync(fd, Buffer.alloc(size))
        } catch {
          continue
        }
      }
      closeSync(fd)
    },
    free: () => rmSync(filler),
    remount: (mode: 'ro' | 'rw') => run('mount', '-o', `remount,${mode}`, path),
    [Symbol.dispose]: () => void Bun.spawnSync(['umount', '-l', path]),
  }
}
