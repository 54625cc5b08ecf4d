import { expect, test } from 'bun:test'

import { localeOf, openGraphLocale } from '../../../../src/core/extract/sources/locale.ts'

test.each<[tag: string, expected: string | undefined]>([
  ['en', 'en'],
  ['EN', 'en'],
  ['en-US', 'en_US'],
  ['en-us', 'en_US'],
  ['en_GB', 'en_GB'],
  [' de-AT ', 'de_AT'],
  ['zh-Hant-TW', 'zh_Hant_TW'],
  ['ZH-HANS', 'zh_Hans'],
  ['es-419', 'es_419'],
  ['haw', 'haw'],
  ['de-DE-u-co-phonebk', 'de_DE'],
  ['ca-valencia', 'ca'],
  ['de_DE.UTF-8', 'de_DE'],
  ['en-x-pirate', 'en'],
  ['', undefined],
  ['e', undefined],
  ['english', undefined],
  ['x-default', undefined],
  ['{{ lang }}', undefined],
  ['en US', undefined],
])('%p', (tag, expected) => expect(localeOf(tag)).toBe(expected as string))

test.each<[locale: string, expected: string | undefined]>([
  ['en_us', 'en_us'],
  ['EN', 'EN'],
  ['en-us', 'en_US'],
  ['und', undefined],
  ['zxx', undefined],
])('og:locale %p', (locale, expected) => expect(openGraphLocale(locale)).toBe(expected as string))
