import { describe, expect, test } from 'bun:test'

import { dayIn } from '../../../../src/core/extract/date/calendar-day.ts'
import { monthByName } from '../../../../src/core/extract/date/month-names.ts'

const NOW = Date.UTC(2026, 0, 1)

describe('the day in a text', () => {
  test.each<[text: string, language: string, day: string | undefined]>([
    ['2016-05-04T08:00:00Z', '', '2016-05-04'],
    ['Published: 2016/5/4 8:00', '', '2016-05-04'],
    ['2016-13-04', '', undefined],
    ['2016-02-29', '', '2016-02-29'],
    ['2015-02-29', '', undefined],
    ['1991-01-01', '', '1991-01-01'],
    ['1990-12-31', '', undefined],
    ['2026-01-02', '', '2026-01-02'],
    ['2026-01-03', '', undefined],
    ['id 12016-05-04', '', undefined],
    ['May 4, 2016', '', '2016-05-04'],
    ['Wednesday, May 4th, 2016 at 8:00 am', '', '2016-05-04'],
    ['4th of May 2016', '', '2016-05-04'],
    ['mardi 3 mai 2016', '', '2016-05-03'],
    ['May 2016', '', undefined],
    ['4 May', '', undefined],
    ['4 Main 2016', '', undefined],
    ['30 November 2016', '', '2016-11-30'],
    ['31 November 2016', '', undefined],
    ['13.05.2016', '', '2016-05-13'],
    ['04.05.2016', 'en_US', '2016-05-04'],
    ['04/05/2016', 'fr', '2016-05-04'],
    ['04/05/2016', 'en_US', '2016-04-05'],
    ['04/05/2016', 'en', undefined],
    ['04/05/2016', '', undefined],
    ['04/04/2016', '', '2016-04-04'],
    ['04/13/2016', '', '2016-04-13'],
    ['version 1.2.2016.3', '', undefined],
    ['5 minutes ago', 'en', undefined],
    ['', '', undefined],
  ])('%s in %s', (text, language, day) => expect(dayIn(text, { language, now: NOW })).toBe(day))
})

describe('the month of a name', () => {
  test.each<[word: string, month: number | undefined]>([
    ['January', 1],
    ['März', 3],
    ['marraskuuta', 11],
    ['června', 6],
    ['července', 7],
    ['Ağustos', 8],
    ['ΔΕΚΕΜΒΡΊΟΥ', 12],
    ['Листопада', 11],
    ['Martes', undefined],
    ['Lorem', undefined],
  ])('%s', (word, month) => expect(monthByName(word)).toBe(month))
})
