import { expect, test } from 'bun:test'

import { withoutCredentials } from '../../src/config/parse-network.ts'

test.each([
  ['http://proxy.example:3128', 'http://proxy.example:3128'],
  ['http://user:p%40ss@proxy.example', 'http://••••@proxy.example'],
  ['http://user:p@ss@proxy.example', 'http://••••@proxy.example'],
  ['socks5://user:pass@proxy.example', 'socks5://••••@proxy.example'],
  ['user:pass@proxy.example', '••••@proxy.example'],
])('%s is shown as %s', (text, shown) => expect(withoutCredentials(text)).toBe(shown))
