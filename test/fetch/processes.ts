import { readdirSync, readFileSync } from 'node:fs'

/** A process of this machine, as /proc has it. */
export interface ProcessEntry {
  pid: number
  group: number
  command: string
}

/** All processes that still run; those that have ended and only wait for their parent to notice are not among them. */
export function runningProcesses(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
        // pid (name) state ppid pgrp …; the name may hold anything.
        const [state, , group] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
        return state === 'Z' ? [] : [{ pid: Number(name), group: Number(group), command }]
      } catch {
        return []
      }
    })
}

/** The processes of the Chromium that works in a folder. */
export function processesOf(profile: string): ProcessEntry[] {
  const all = runningProcesses()
  const groups = new Set(all.filter(({ command }) => command.includes(profile)).map(({ group }) => group))
  return all.filter(({ group }) => groups.has(group))
}

/** Waits until a condition holds; the test's own deadline ends a wait that is in vain. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(10)
}

/** Kills every process of the Chromium that works in a folder; those that end with an earlier one are gone already. */
export function killProcessesOf(profile: string): void {
  for (const { pid } of processesOf(profile)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
