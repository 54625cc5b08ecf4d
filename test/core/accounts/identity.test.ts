import { describe, expect, test } from 'bun:test'

import {
  decideSignIn,
  type IdentityKey,
  type KnownAccount,
  oauthErrorCode,
  type SignInDecision,
} from '../../../src/core/accounts/identity.ts'

const GITHUB = 'https://github.com/login/oauth'
const GOOGLE = 'https://accounts.google.com'

const claim = { issuer: GITHUB, subject: '17', verifiedEmail: 'jo@example.com', account: 'jo', name: null } as const

const github = (email: string) => ({ issuer: GITHUB, subject: '17', email })
const google = (email: string) => ({ issuer: GOOGLE, subject: 'abc', email })

const account = (userId: string, email: string, identities: KnownAccount['identities'], isSuspended = false) => ({
  userId,
  email,
  identities,
  isSuspended,
  removed: [] as IdentityKey[],
})

describe('the account that a claim signs in to', () => {
  const TAKEN = { verdict: 'refused', problem: 'email_taken' } as const

  test.each<[string, { bySubject?: KnownAccount; byEmail?: KnownAccount }, SignInDecision]>([
    ['unknown: a new account', {}, { verdict: 'new' }],
    [
      'the person is known',
      { bySubject: account('u1', 'jo@example.com', [github('jo@example.com')]) },
      { verdict: 'known', userId: 'u1', newEmail: null },
    ],
    [
      'another provider has verified the address too',
      { byEmail: account('u1', 'jo@example.com', [google('jo@example.com')]) },
      { verdict: 'joined', userId: 'u1' },
    ],
    [
      'the account was created by an operator',
      { byEmail: account('u1', 'jo@example.com', []) },
      { verdict: 'joined', userId: 'u1' },
    ],
    [
      'the address belonged to another person at the same provider',
      { byEmail: account('u1', 'jo@example.com', [{ ...github('jo@example.com'), subject: '16' }]) },
      TAKEN,
    ],
    [
      'the same, and another provider has verified it too',
      {
        byEmail: account('u1', 'jo@example.com', [
          google('jo@example.com'),
          { ...github('jo@example.com'), subject: '16' },
        ]),
      },
      TAKEN,
    ],
    [
      'the same, after the previous owner removed that identity',
      {
        byEmail: {
          ...account('u1', 'jo@example.com', [google('jo@example.com')]),
          removed: [{ issuer: GITHUB, subject: '16' }],
        },
      },
      TAKEN,
    ],
    [
      'the person removed this identity, and its provider still verifies the address',
      {
        byEmail: {
          ...account('u1', 'jo@example.com', [google('jo@example.com')]),
          removed: [{ issuer: GITHUB, subject: '17' }],
        },
      },
      { verdict: 'joined', userId: 'u1' },
    ],
    [
      'the same subject of another issuer still has the old address',
      {
        bySubject: account('u1', 'jo@old.example', [
          github('jo@old.example'),
          { ...google('jo@old.example'), subject: '17' },
        ]),
      },
      { verdict: 'known', userId: 'u1', newEmail: null },
    ],
    [
      'the other provider now verifies an address of another person',
      { byEmail: account('u1', 'jo@example.com', [google('jo@new.example')]) },
      TAKEN,
    ],
    [
      'the person has a new address, which the account gets',
      { bySubject: account('u1', 'jo@old.example', [github('jo@old.example')]) },
      { verdict: 'known', userId: 'u1', newEmail: 'jo@example.com' },
    ],
    [
      'the person has a new address here, but still the old one at the other provider',
      { bySubject: account('u1', 'jo@old.example', [github('jo@old.example'), google('jo@old.example')]) },
      { verdict: 'known', userId: 'u1', newEmail: null },
    ],
    [
      'the person has a new address that another account has',
      {
        bySubject: account('u1', 'jo@old.example', [github('jo@old.example')]),
        byEmail: account('u2', 'jo@example.com', [google('jo@example.com')]),
      },
      TAKEN,
    ],
    [
      'the person is known, and the address belongs to the same account',
      {
        bySubject: account('u1', 'jo@example.com', [github('jo@old.example')]),
        byEmail: account('u1', 'jo@example.com', [github('jo@old.example')]),
      },
      { verdict: 'known', userId: 'u1', newEmail: null },
    ],
    [
      'the person is suspended',
      { bySubject: account('u1', 'jo@example.com', [github('jo@example.com')], true) },
      { verdict: 'refused', problem: 'suspended' },
    ],
    [
      'the account with the address is suspended: another provider does not help',
      { byEmail: account('u1', 'jo@example.com', [google('jo@example.com')], true) },
      { verdict: 'refused', problem: 'suspended' },
    ],
  ])('%s', (_, { bySubject = null, byEmail = null }, decision) => {
    expect(decideSignIn(claim, { bySubject, byEmail })).toEqual(decision)
  })
})

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
