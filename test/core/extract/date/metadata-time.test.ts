import { expect, test } from 'bun:test'

import { metadataOf } from '../metadata-of.ts'

const NOW = Date.UTC(2026, 10, 28)

/** The published time of a page with a time in its metadata. */
function published(content: string, language = 'en', tag = 'article:published_time') {
  const html = `<html lang="${language}"><title>T</title><meta property="${tag}" content="${content}">`
  return metadataOf(html, { now: NOW }).meta?.published_time
}

test.each<[content: string, expected: string | undefined]>([
  // As written.
  ['2026-02-03T04:05:06Z', '2026-02-03T04:05:06Z'],
  ['2019-04-30T15:10:10+0000', '2019-04-30T15:10:10+0000'],
  ['2024-05-01 10:00', '2024-05-01 10:00'],
  ['20240501', '20240501'],
  ['2024-05', '2024-05'],
  ['2024/03/05', '2024/03/05'],
  ['May 7, 2019', 'May 7, 2019'],
  ['Mon, 15 Aug 2005 15:52:01 +0000', 'Mon, 15 Aug 2005 15:52:01 +0000'],
  ['14.05.2024 10:00', '14.05.2024 10:00'],
  ['1985-03-02', '1985-03-02'],
  ['2026-11-29T10:00:00+14:00', '2026-11-29T10:00:00+14:00'],
  // Converted.
  ['1714557600', '2024-05-01T10:00:00.000Z'],
  ['1714557600000', '2024-05-01T10:00:00.000Z'],
  ['/Date(1700000000000)/', '2023-11-14T22:13:20.000Z'],
  ['/Date(1700000000000+0200)/', '2023-11-14T22:13:20.000Z'],
  ['Wed Mar 08 2023 11:01:00 GMT+0000 (Coordinated Universal Time)', '2023-03-08T11:01:00.000Z'],
  ['Wed Mar 08 2023 11:01:00 GMT+0200', '2023-03-08T09:01:00.000Z'],
  ['02 Haziran 2020', '2020-06-02'],
  ['Veröffentlicht am Donnerstag, 14. Oktober 2021', '2021-10-14'],
  // None.
  ['-', undefined],
  ['0', undefined],
  ['yesterday', undefined],
  ['0000-00-00 00:00:00', undefined],
  ['-0001-11-30T00:00:00+00:00', undefined],
  ['Wed, 30 Nov -0001 00:00:00 +0000', undefined],
  ['0001-01-01T00:00:00', undefined],
  ['1/1/0001 12:00:00 AM', undefined],
  ['1970-01-01T01:00:00+01:00', undefined],
  ['1969-12-31 19:00:00', undefined],
  ['Thu, 01 Jan 1970 00:00:00 +0000', undefined],
  ['January 1, 1970', undefined],
  ['1900-01-01T00:00:00', undefined],
  ['1753-01-01', undefined],
  ['1899-12-30', undefined],
  ['9999-12-31T23:59:59', undefined],
  ['2024-00-00', undefined],
  ['2024-02-30', undefined],
  ['2024-13-01T00:00:00Z', undefined],
  ['2024-W05-3', undefined],
  ['2027-01-01', undefined],
  ['May 7, 2031', undefined],
  ['/Date(-62135596800000)/', undefined],
])('%s', (content, expected) => expect(published(content)).toBe(expected))

test.each<[language: string, content: string, expected: string | undefined]>([
  ['th', '2567-05-01T10:00:00+07:00', '2024-05-01T10:00:00+07:00'],
  ['th', '1 พฤษภาคม 2567', '2024-05-01'],
  ['fa', '۱۳۹۹/۰۲/۲۱ - ۱۸:۵۹', '2020-05-10'],
  ['fa', '1399/02/21', '2020-05-10'],
  ['ar', 'الأربعاء، 07 أكتوبر 2020 - 12:09 م', '2020-10-07'],
  ['hr', '17. listopada 2024.', '2024-10-17'],
])('%s: %s', (language, content, expected) => expect(published(content, language)).toBe(expected))

test('a year alone gives way to another date', () => {
  expect(published('2024" /><meta name="citation_online_date" content="2024/03/05', 'en', 'citation_date')).toBe(
    '2024/03/05',
  )
  expect(published('2024', 'en', 'citation_date')).toBe('2024')
})

test('the dates of a profile are those of the account', () => {
  const profile = { '@type': 'ProfilePage', dateCreated: '2020-01-01', mainEntity: { '@type': 'Person', name: 'Jo' } }
  const html = `<title>T</title><script type="application/ld+json">${JSON.stringify(profile)}</script>`
  expect(metadataOf(html).meta?.published_time).toBeUndefined()
})
