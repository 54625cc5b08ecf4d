import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { pageSettings } from '../../src/compose/page-settings.ts'
import { parseConfig } from '../../src/config.ts'

test('the settings that workers receive are the same in another thread', () => {
  const directory = mkdtempSync(join(tmpdir(), 'urlmeta-settings-'))
  using _ = { [Symbol.dispose]: () => rmSync(directory, { recursive: true }) }
  const sites = join(directory, 'sites.json')
  writeFileSync(sites, JSON.stringify([{ hosts: ['a.test'], cookies: { a: '1' }, egressProxy: 'http://[::1]:3128' }]))
  const parsed = parseConfig({
    URLMETA_ALLOW_PRIVATE_HOSTS: 'wiki.internal, 10.0.0.0/8, [fd00::1]:8080',
    URLMETA_EGRESS_PROXY: 'socks5://user:password@127.0.0.1:1080',
    URLMETA_EGRESS_PROXY_EXCEPT: '10.1.0.0/16, 192.0.2.1, a.test',
    URLMETA_DNS_SERVERS: '1.1.1.1',
    URLMETA_SITES: sites,
  })
  if ('errors' in parsed) throw new Error(parsed.errors.join('\n'))
  const settings = pageSettings(parsed.config, parsed.config.live)
  // Strict: an object that loses its class on the way is not equal.
  expect(structuredClone(settings)).toStrictEqual(settings)
  expect(settings.live.allow).toHaveLength(3)
})
