import { expect, test } from 'bun:test'

import { sharedCaller, userCaller, visitorCaller } from '../../../src/previews/service/preview-caller.ts'

test.each([
  ['visitors of two networks', visitorCaller('192.0.2.1'), visitorCaller('192.0.2.2'), true],
  ['a visitor and the viewers of a shared result', visitorCaller('192.0.2.1'), sharedCaller('u1'), false],
  ['the viewers of results of two users', sharedCaller('u1'), sharedCaller('u2'), false],
  ['a user and the viewers of their results', userCaller('u1'), sharedCaller('u1'), false],
])('%s share their slots or not', (_, one, other, isShared) => expect(one.userId === other.userId).toBe(isShared))

test.each([
  ['a user may, if the operator allows them', userCaller('u1'), false],
  ['a visitor may not', visitorCaller('192.0.2.1'), true],
  ['the viewer of a shared result may not', sharedCaller('u1'), true],
])('%s request private hosts', (_, { publicOnly }, isPublicOnly) => expect(publicOnly).toBe(isPublicOnly))
