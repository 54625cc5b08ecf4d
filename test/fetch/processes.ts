import { readdirSync, readFileSync } from 'node:fs'

/** A process, as in /proc. */
export interface ProcessEntry {
  pid: number
  group: number
  command: string
}

/** All running processes, without zombies. */
export function runningProcesses(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
        // pid (name) state ppid pgrp …; the name may contain anything.
        const [state, , group] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
        return state === 'Z' ? [] : [{ pid: Number(name), group: Number(group), command }]
      } catch {
        return []
      }
    })
}

/** The processes of the Chromium with this profile directory. */
export function processesOf(profile: string): ProcessEntry[] {
  const all = runningProcesses()
  const groups = new Set(all.filter(({ command }) => command.includes(profile)).map(({ group }) => group))
  return all.filter(({ group }) => groups.has(group))
}

/** Waits until a condition holds, up to the deadline of the test. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(10)
}

/**
 * Kills the processes of the Chromium with this profile directory, some of which may exit when another one is killed.
 * @param option only those with this option in their command
 */
export function killProcessesOf(profile: string, option = ''): void {
  for (const { pid, command } of processesOf(profile)) {
    if (!command.includes(option)) continue
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
