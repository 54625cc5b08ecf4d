import { describe, expect, test } from 'bun:test'

import { dayIn } from '../../../../src/core/extract/date/calendar-day.ts'
import { toGregorian } from '../../../../src/core/extract/date/calendars.ts'
import { monthByName } from '../../../../src/core/extract/date/month-names.ts'
import cldr from '../../../../src/core/extract/date/month-names.json'
import { DAY_MS } from '../../../../src/core/duration.ts'
import { cldrMonths } from './cldr-months.ts'

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

describe('the day in a text of a language', () => {
  test.each<[language: string, text: string, day: string | undefined]>([
    ['hr', '17. listopada 2024.', '2024-10-17'],
    ['pl', '17 listopada 2024', '2024-11-17'],
    ['pl', '17 kwi 2024', '2024-04-17'],
    ['cs', '17. července 2024', '2024-07-17'],
    ['ga', '17 Meitheamh 2024', '2024-06-17'],
    ['nl', 'Geplaatst op 17 maart 2024 om 8.00 uur', '2024-03-17'],
    ['hu', '2024. május 17., péntek', '2024-05-17'],
    ['lv', '2024. gada 17. janvāris', '2024-01-17'],
    ['lt', '2024 m. sausio 17 d.', '2024-01-17'],
    ['ro', '17 noiembrie 2024', '2024-11-17'],
    ['bg', '17 септември 2024 г.', '2024-09-17'],
    ['uk', '17 вер. 2024 р.', '2024-09-17'],
    ['tr', '02 Haziran 2020', '2020-06-02'],
    ['de', 'Mittwoch, 3. Mrz. 2021', '2021-03-03'],
    ['de-AT', '3. Jänner 2021', '2021-01-03'],
    ['ca', '17 d’abril del 2024', '2024-04-17'],
    ['he', '17 בינואר 2024', '2024-01-17'],
    ['hi', '१७ जून २०२४', '2024-06-17'],
    ['vi', '17 tháng 1, 2024', '2024-01-17'],
    ['ar', '٢ مايو ٢٠٢٤', '2024-05-02'],
    ['ar-LB', '2 كانون الثاني 2024', '2024-01-02'],
    ['ar', '17\u200f/01\u200f/2024', '2024-01-17'],
    ['ar', '5 رجب 1445', '2024-01-17'],
    ['fa', '۱۴۰۲ دی ۲۷', '2024-01-17'],
    ['fa', '۲۷ دی ۱۴۰۲', '2024-01-17'],
    ['fa', '۱۴۰۲/۱۰/۲۷', '2024-01-17'],
    ['fa', '۳۰ اسفند ۱۴۰۲', undefined],
    ['th', '17 ม.ค. 2567', '2024-01-17'],
    ['th', 'วันพุธที่ 17 มกราคม พ.ศ. 2567', '2024-01-17'],
    ['th', '17/01/2567', '2024-01-17'],
    ['ja', '令和6年1月17日', '2024-01-17'],
    ['ja', '平成元年1月8日', undefined],
    ['zh-TW', '民國113年1月17日', '2024-01-17'],
    // English names count in every language.
    ['de', 'May 4, 2016', '2016-05-04'],
    // Without a language, a name counts if it is the same month in all languages.
    ['', '17 marraskuuta 2024', '2024-11-17'],
    ['en', '17 de febrero de 2024', '2024-02-17'],
    ['', '17 listopada 2024', undefined],
    // In a language that is not known, only English names count.
    ['xx', '17 lipca 2024', undefined],
    ['xx', '17 July 2024', '2024-07-17'],
    ['en', '17 junior 2024', undefined],
    ['en', 'Chapter 5 The May 2020 report', undefined],
  ])('%s: %s', (language, text, day) => expect(dayIn(text, { language, now: NOW })).toBe(day))

  const languages = Object.keys(cldrMonths()).filter((language) => !language.includes('@'))
  test.each([...languages, 'ja', 'ko', 'zh', 'zh-TW', 'vi'])('each month as the engine writes it in %s', (language) => {
    for (const dateStyle of ['full', 'long', 'medium'] as const) {
      for (let month = 0; month < 12; month++) {
        const ms = Date.UTC(2024, month, 17)
        const text = new Intl.DateTimeFormat(language, { dateStyle, timeZone: 'UTC' }).format(ms)
        const day = new Date(ms).toISOString().slice(0, 10)
        expect([text, dayIn(text, { language, now: NOW })]).toEqual([text, day])
      }
    }
  })
})

describe('the month of a name', () => {
  test.each<[word: string, language: string, month: number | undefined]>([
    ['January', '', 1],
    ['Sept', 'en', 9],
    ['März', '', 3],
    ['marzec', 'pl', 3],
    ['marraskuuta', '', 11],
    ['června', '', 6],
    ['července', '', 7],
    ['Ağustos', '', 8],
    ['ΔΕΚΕΜΒΡΊΟΥ', '', 12],
    ['Листопада', '', 11],
    ['májusi', 'hu', 5],
    ['Febr', 'de', 2],
    ['ju', 'en', undefined],
    ['Martes', '', undefined],
    ['Lorem', '', undefined],
  ])('%s in %s', (word, language, month) => expect(monthByName(word, language)?.month).toBe(month))

  test('names are those of CLDR', () => expect(cldr as object).toEqual(cldrMonths()))
})

test.each(['persian', 'islamic-umalqura'] as const)('days of the %s calendar are converted', (calendar) => {
  const format = new Intl.DateTimeFormat(`en-u-ca-${calendar}-nu-latn`, { dateStyle: 'short', timeZone: 'UTC' })
  for (let ms = Date.UTC(1992, 0, 1); ms < Date.UTC(2030, 0, 1); ms += 11 * DAY_MS) {
    const [month, day, year] = format.format(ms).split(/\D+/).map(Number)
    const date = new Date(ms)
    expect(toGregorian(calendar, { year: year!, month: month!, day: day! })).toEqual({
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
    })
  }
})

test.each(['constructor', '__proto__', 'toString'])(
  'a language named like a member of objects is unknown: %s',
  (language) => {
    expect(dayIn('May 3, 2024', { language, now: Infinity })).toBe('2024-05-03')
  },
)
