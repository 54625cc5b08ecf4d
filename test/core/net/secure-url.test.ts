import { expect, test } from 'bun:test'

import { isSecureUrl } from '../../../src/core/net/secure-url.ts'

test.each([
  ['https://id.example/', true],
  ['https://10.0.0.1/', true],
  ['http://id.example/', false],
  ['http://localhost/', true],
  ['http://LOCALHOST:8080/', true],
  // A resolver may resolve these to any machine.
  ['http://id.localhost/', false],
  ['http://localhost.example/', false],
  ['http://126.255.255.255/', false],
  ['http://127.0.0.0/', true],
  ['http://127.255.255.255/', true],
  ['http://128.0.0.0/', false],
  ['http://0.0.0.0/', false],
  ['http://10.0.0.1/', false],
  ['http://[::1]/', true],
  ['http://[::2]/', false],
  ['http://127.0.0.1.example/', false],
  ['ftp://127.0.0.1/', false],
])('%s: %j', (url, expected) => expect(isSecureUrl(new URL(url))).toBe(expected))
