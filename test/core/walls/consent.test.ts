import { describe, expect, test } from 'bun:test'

import { consentTargetOf, isConsentAddress } from '../../../src/core/walls/consent.ts'

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
