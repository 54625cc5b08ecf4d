import { expect, test } from 'bun:test'

import { pathOf } from '../../../src/http/server/request-path.ts'

test.each([
  ['http://a/', '/'],
  ['http://a', '/'],
  ['http://a?b', '/'],
  ['http://a/keys', '/keys'],
  ['http://a/keys/', '/keys'],
  ['http://a/k/', '/k'],
  ['https://a:1/keys?b=/c/', '/keys'],
  ['http://[/keys', '/keys'],
  ['http://a//', '/'],
  // Without a Host header.
  ['/keys', '/keys'],
  ['/v1/metadata?url=http://a/b', '/v1/metadata'],
])('the path of %s is %s', (url, path) => expect(pathOf({ url } as Request)).toBe(path))
