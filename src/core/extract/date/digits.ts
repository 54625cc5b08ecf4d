/** The first digits of the scripts whose decimal digits are not ASCII, by the start of each. */
const ZEROS = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040, 0x17e0,
  0xff10,
]

const OTHER_DIGIT = /(?![0-9])\p{Nd}/u
const OTHER_DIGITS = new RegExp(OTHER_DIGIT, 'gu')

/** Invisible characters that control the direction of text. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Years since the first year of an era: 令和6年 and 民國113年 are 2024. The first year of an emperor is 元年. */
const ERA_YEAR = /(令和|平成|昭和|民[國国])\s?(\d{1,3}|元)\s?(?=年)/gu
const ERA_STARTS: Readonly<Record<string, number>> = { 令和: 2019, 平成: 1989, 昭和: 1926, 民國: 1912, 民国: 1912 }

/** Whether a text has a digit of another script than ASCII. */
export const hasOtherDigit = (text: string): boolean => OTHER_DIGIT.test(text)

/** The text with ASCII digits, without marks of direction, and with years of the Common Era. */
export function asciiDigits(text: string): string {
  const plain = text.replace(DIRECTION, '').replace(OTHER_DIGITS, (digit) => {
    const code = digit.codePointAt(0)!
    return String(code - ZEROS.findLast((zero) => zero <= code)!)
  })
  return plain.replace(ERA_YEAR, (_, era: string, year) =>
    String(ERA_STARTS[era]! + (year === '元' ? 1 : Number(year)) - 1),
  )
}
