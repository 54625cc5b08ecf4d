import { describe, expect, test } from 'bun:test'

import byLanguage from '../../../src/core/extract/sources/byline-words.json'
import words from '../../../src/core/walls/consent-words.json'
import { consentTargetOf, isConsentAddress, isConsentNotice } from '../../../src/core/walls/consent.ts'

describe('the page behind a consent page', () => {
  test.each<[address: string, target: string | null]>([
    // itteco/iframely#326
    [
      'https://consent.youtube.com/m?continue=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3DdQw4w9WgXcQ&gl=NL&hl=en&src=1',
      'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    ],
    // TylerFisher/sill#68
    [
      'https://myprivacy.dpgmedia.nl/consent?callbackUrl=https%3A%2F%2Fwww.volkskrant.nl%2Fprivacygate-confirm%3FredirectUri%3D%252Fa&siteKey=P',
      'https://www.volkskrant.nl/privacygate-confirm?redirectUri=%2Fa',
    ],
    ['https://site.test/consent?return=%2Farticle', 'https://site.test/article'],
    ['https://consent.site.test/?url=https://site.test/a', 'https://site.test/a'],
    ['https://site.test/cookiewall/?RedirectUri=/a', 'https://site.test/a'],
    ['https://consent.yahoo.com/v2/collectConsent?sessionId=3_cc', null],
    ['https://site.test/consent', null],
    ['https://site.test/consent?url=not-an-address', null],
    ['https://site.test/consent?url=javascript:alert(1)', null],
    ['https://site.test/consent?url=//', null],
    ['https://site.test/consenting-adults?url=https://site.test/a', null],
    ['https://site.test/share?url=https://site.test/a', null],
    ['https://site.test/a?continue=https://site.test/consent', null],
  ])('%s', (address, target) => expect(consentTargetOf(new URL(address))?.href ?? null).toBe(target))

  test('is not the consent page itself', () => {
    expect(isConsentAddress(new URL('https://site.test/consent?url=https://site.test/a'))).toBe(true)
    expect(isConsentAddress(new URL('https://site.test/consent'))).toBe(false)
  })
})

describe('a consent page in place of the page', () => {
  test('has words for the languages of bylines', () => expect(Object.keys(words)).toEqual(Object.keys(byLanguage)))

  test.each(Object.entries(words))('in %s needs a heading and a button', (_, { heading, accept }) => {
    for (const head of heading.split(', ')) {
      for (const button of accept.split(', ')) {
        expect(isConsentNotice(['', head.toUpperCase(), `${head}: Harbour Times`, ` ${button} `])).toBe(true)
        expect([isConsentNotice([head, head]), isConsentNotice([button, button])]).toEqual([false, false])
      }
    }
  })

  test.each([
    ['a heading of 60 characters', `Before you continue ${'x'.repeat(40)}`, 'Accept', true],
    ['a sentence of 61 characters', `Before you continue ${'x'.repeat(41)}`, 'Accept', false],
    ['a heading that says it later', 'Read this before you continue', 'Accept', false],
    ['a button within a sentence', 'Before you continue', 'Accept all of this.', false],
  ])('%s', (_, heading, button, expected) => expect(isConsentNotice([heading, button])).toBe(expected))
})
