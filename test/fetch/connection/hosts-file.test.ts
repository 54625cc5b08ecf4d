import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openHostsFile } from '../../../src/fetch/connection/hosts-file.ts'

const directory = mkdtempSync(join(tmpdir(), 'hosts-'))
afterAll(() => rmSync(directory, { recursive: true }))

const path = join(directory, 'hosts')
writeFileSync(
  path,
  [
    '# comment',
    '',
    '127.0.0.1 localhost',
    '172.17.0.1\thost.docker.internal  gateway # trailing',
    '  10.0.0.5 Wiki.Test',
    '10.0.0.6 wiki.test',
    'fd00::5 wiki.test\r',
    'lonely',
  ].join('\n'),
)

test.each([
  ['an alias', 'host.docker.internal', ['172.17.0.1']],
  ['a second alias', 'gateway', ['172.17.0.1']],
  ['any case, every line', 'WIKI.test', ['10.0.0.5', '10.0.0.6', 'fd00::5']],
  ['a trailing dot', 'gateway.', ['172.17.0.1']],
  ['a name in a comment', 'trailing', []],
  ['a missing name', 'other.test', []],
  ['an address without name', 'lonely', []],
])('%s', async (_name, host, addresses) => {
  expect(await openHostsFile(path)(host)).toEqual(addresses)
})

test('a missing file has no names, and is read once it exists', async () => {
  const missing = join(directory, 'missing')
  const find = openHostsFile(missing)
  expect(await find('localhost')).toEqual([])
  writeFileSync(missing, '127.0.0.1 localhost')
  expect(await find('localhost')).toEqual(['127.0.0.1'])
})
