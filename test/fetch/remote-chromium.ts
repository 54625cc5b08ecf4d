import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freePort } from '../free-port.ts'
import type { RemoteChromium } from '../../src/core/net/remote-chromium.ts'

/** A Chromium that was started separately, and how to connect to it. Disposing it stops it. */
export interface RemoteBrowser extends AsyncDisposable {
  /** `http://host:port` of its DevTools. */
  http: string
  /** `ws://` of the browser itself. */
  ws: string
  /** With a proxy on a free port of loopback. */
  source: RemoteChromium
  /** Kills it, like a crash. */
  kill(): Promise<void>
}

/** How long it may take to start, in milliseconds. */
const START_MS = 30_000

/** Only the options that it needs to start. None of them restricts its network access. */
const ARGUMENTS = ['--headless', '--no-sandbox', '--no-first-run', '--disable-gpu', '--disable-dev-shm-usage']

/** @param debuggingPort 0 for any free one */
export async function startRemoteChromium(executable: string, debuggingPort = 0): Promise<RemoteBrowser> {
  const dir = mkdtempSync(join(tmpdir(), 'urlmeta-remote-'))
  const child = Bun.spawn(
    [executable, ...ARGUMENTS, `--remote-debugging-port=${debuggingPort}`, `--user-data-dir=${dir}`],
    {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
      env: { PATH: process.env['PATH'] ?? '', HOME: dir },
      // A separate process group, so that all its processes can be killed.
      detached: true,
    },
  )
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS)
  const ws = await webSocketUrlIn(child.stderr)
  clearTimeout(timer)
  const port = freePort()

  async function kill() {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
    await child.exited
  }
  return {
    http: `http://${new URL(ws).host}`,
    ws,
    source: { url: ws, listen: { host: '127.0.0.1', port }, proxy: `127.0.0.1:${port}` },
    kill,
    async [Symbol.asyncDispose]() {
      await kill()
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function webSocketUrlIn(stderr: ReadableStream<Uint8Array>): Promise<string> {
  const endpoint = Promise.withResolvers<string>()
  void (async () => {
    let output = ''
    // Read to the end: a full pipe would stop Chromium.
    for await (const chunk of stderr) {
      output = (output + Buffer.from(chunk).toString()).slice(-10_000)
      const url = /DevTools listening on (ws:\S+)/.exec(output)?.[1]
      if (url !== undefined) endpoint.resolve(url)
    }
    endpoint.reject(new Error(`Chromium did not start: ${output}`))
  })()
  return await endpoint.promise
}
