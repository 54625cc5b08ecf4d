/** The languages of most pages (https://w3techs.com/technologies/overview/content_language). */
const LANGUAGES = 'en es de ja fr pt ru it nl pl tr fa zh vi id cs ko uk sv ar'.split(' ')

/** The seven days of a week, Monday first. */
const DAYS = Array.from({ length: 7 }, (_, day) => new Date(Date.UTC(2024, 0, 1 + day)))

let weekdays: ReadonlySet<string> | undefined

/** Whether a text in lower case is the name of a weekday, according to the runtime's CLDR data. */
export function isWeekday(text: string): boolean {
  weekdays ??= new Set(LANGUAGES.flatMap(weekdaysIn))
  return weekdays.has(text)
}

function weekdaysIn(language: string): string[] {
  return (['long', 'short'] as const).flatMap((weekday) => {
    const format = new Intl.DateTimeFormat(language, { weekday, timeZone: 'UTC' })
    return DAYS.map((day) => format.format(day).toLowerCase())
  })
}
