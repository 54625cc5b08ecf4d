/**
 * Arguments of strace that make system calls on the files fail with EIO, or kill the process.
 * @param calls names of system calls, separated by commas
 * @param effect with `when=3`, only the third call fails
 * @param output where the calls are written, each after the id of its thread
 */
export function failingCalls(
  calls: string,
  files: readonly string[],
  effect: 'error=EIO' | 'error=EIO:when=3' | 'signal=SIGKILL' | 'delay_exit=1' | 'delay_enter=600s' = 'error=EIO',
  output = '/dev/null',
): string[] {
  const onFiles = files.flatMap((file) => ['-P', file])
  return ['-f', '-o', output, '-e', `trace=${calls}`, '-e', `inject=${calls}:${effect}`, ...onFiles]
}

/**
 * Makes system calls of a running process on the given files fail with EIO, as when the disk is broken. Disposing it removes
 * the fault; the process keeps running. Needs the permission to trace the process, which root has.
 * @param strace the path of strace
 */
export async function failCalls(strace: string, pid: number, ...args: Parameters<typeof failingCalls>) {
  const child = Bun.spawn([strace, ...failingCalls(...args), '-p', String(pid)], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const attached = Promise.withResolvers<void>()
  async function read() {
    let output = ''
    for await (const chunk of child.stderr) {
      output += Buffer.from(chunk).toString()
      if (output.includes(' attached')) attached.resolve()
    }
    attached.reject(new Error(`strace did not attach: ${output}`))
  }
  void read()
  await attached.promise
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGINT')
      await child.exited
    },
  }
}
