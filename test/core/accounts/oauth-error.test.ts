import { expect, test } from 'bun:test'

import { oauthErrorCode } from '../../../src/core/accounts/identity.ts'

test.each<[unknown, string | null]>([
  ['invalid_grant', 'invalid_grant'],
  ['a'.repeat(64), 'a'.repeat(64)],
  ['a'.repeat(65), null],
  ['', null],
  ['Invalid grant', null],
  ['gho_16C7e42F', null],
  ['invalid_grant\n', null],
  [{ code: 'invalid_grant' }, null],
  [undefined, null],
])('%j → %j', (error, expected) => expect(oauthErrorCode(error)).toBe(expected))
