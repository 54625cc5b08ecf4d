import { expect, test } from 'bun:test'

import { loggedRequestOf } from '../../../src/http/api/logged-request.ts'

const ENTRY = { id: 'r1', method: 'GET', route: '/v1/metadata', status: 200, outcome: 'ok', ms: 1 } as const

test.each<[name: string, path: string | null, logged: string | null]>([
  ['of 300 characters', `/${'a'.repeat(299)}`, `/${'a'.repeat(299)}`],
  ['of 301 characters, truncated', `/${'a'.repeat(300)}`, `/${'a'.repeat(299)}`],
  ['of a user who does not log URLs, without the host', null, null],
])('a path %s', (_, path, logged) => {
  const { host, path: stored } = loggedRequestOf({ ...ENTRY, host: 'a.example' }, { userId: 'u', keyId: 'k', path }, 1)
  expect([stored, host]).toEqual([logged, logged === null ? null : 'a.example'])
})
