import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { sniffCharset } from '../../../../src/core/extract/reading/charset.ts'
import { TextReader } from '../../../../src/core/extract/reading/text.ts'

/* https://github.com/html5lib/html5lib-tests, unchanged, as the npm package html5 1.0.5 has them. */

const FOLDER = join(import.meta.dir, '../../../fixtures/html5lib')

async function unzipped(file: string): Promise<Buffer> {
  return Buffer.from(Bun.gunzipSync(await Bun.file(join(FOLDER, `${file}.gz`)).bytes()))
}

type Output = 'ParseError' | ['Character', string] | ['StartTag', string, Record<string, string>]

/** The decoded text of a case, or the decoded value of the only attribute in its tag. */
function decoded(input: string, isAttribute: boolean): string {
  const value = isAttribute ? /=['"]?([^'">]*)/.exec(input)![1]! : input
  const bytes = new TextEncoder().encode(value)
  const reader = new TextReader(bytes, 'utf-8')
  const range = { start: 0, end: bytes.length }
  return isAttribute ? reader.attribute(range) : reader.text(range)
}

describe('character references', () => {
  test.each([
    ['namedEntities.test', 4_210],
    ['numericEntities.test', 327],
    ['entities.test', 70],
  ])('%s', async (file, count) => {
    const { tests }: { tests: { input: string; output: Output[] }[] } = JSON.parse(String(await unzipped(file)))
    expect(tests.length).toBe(count)
    for (const { input, output } of tests) {
      const tokens = output.filter((token) => token !== 'ParseError')
      const isAttribute = tokens[0]?.[0] === 'StartTag'
      const parts = tokens.map((token) => (token[0] === 'StartTag' ? Object.values(token[2])[0] : token[1]))
      expect([input, decoded(input, isAttribute)]).toEqual([input, parts.join('')])
    }
  })
})

/** Cases of which the standard has changed, or that need scripts: what they contain, and the encoding that urlmeta finds. */
const OTHER: readonly [part: string, encoding: string, reason: string][] = [
  ['http-equiv="Content-Type content="', 'windows-1252', 'a label with a quote is unknown'],
  ['<meta charset=iso8859-2">', 'windows-1252', 'a label with a quote is unknown'],
  ["' + '2\">')</script>", 'windows-1252', 'scripts do not run'],
  ['<meta <meta charset=', 'windows-1252', 'euc_jp is not a label'],
  ["<meta       charset    =     'euc_jp'", 'windows-1252', 'euc_jp is not a label'],
]

/** Text that is not UTF-8. Without it, urlmeta finds UTF-8 where the standard has its fallback. */
const NOT_UTF8 = [0xe9, 0x20]

describe('encodings', () => {
  test.each([
    ['tests1.dat', 60],
    ['tests2.dat', 22],
  ])('%s', async (file, count) => {
    const cases = (await unzipped(file))
      .toString('latin1')
      .split(/(?:^|\n)#data\n/)
      .slice(1)
    expect(cases.length).toBe(count)
    for (const text of cases) {
      const [data, label] = text.split('\n#encoding\n') as [string, string]
      const other = OTHER.find(([part]) => data.includes(part))
      const bytes = Uint8Array.from([...Buffer.from(`${data}\n`, 'latin1'), ...NOT_UTF8])
      const { encoding } = sniffCharset({ bytes, contentType: 'text/html', isWhole: true })
      const expected = other?.[1] ?? new TextDecoder(label.trim().split('\n', 1)[0] as Bun.Encoding).encoding
      expect([data, encoding]).toEqual([data, expected])
    }
  })
})
