import { expect, test } from 'bun:test'
import { join } from 'node:path'

import { openDnsServer } from '../../origin/dns-server.ts'
import { responseBytes, openRawOrigin } from '../../origin/raw-origin.ts'

test('without file descriptors, a fetch is overloaded rather than refused by the site', async () => {
  await using origin = await openRawOrigin((socket) => socket.end(responseBytes(200, {}, '')))
  await using dns = await openDnsServer({ 'site.test': () => ({ A: ['127.0.0.1'] }) })
  const child = Bun.spawn(
    [
      '/bin/sh',
      '-c',
      'ulimit -n 128; exec "$@"',
      'sh',
      process.execPath,
      join(import.meta.dir, 'without-descriptors.ts'),
      dns.address,
      `http://127.0.0.1:${origin.port}/`,
      `http://site.test:${origin.port}/`,
    ],
    { stdout: 'pipe', stderr: 'inherit' },
  )
  const lines = (await new Response(child.stdout).text()).trim().split('\n')
  const expected = { reason: 'too many requests are waiting', detail: 'no file descriptors' }
  expect(lines.map((line) => JSON.parse(line))).toEqual([expected, expected])
})
