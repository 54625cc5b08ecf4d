import { describe, expect, test } from 'bun:test'

import { MAX_JSON_LD_DEPTH, MAX_JSON_LD_VALUES } from '../../../../src/core/extract/json-ld/json-ld-scripts.ts'
import { parsedJsonLd } from '../parsed-json-ld.ts'

test.each<[name: string, script: string, expected: unknown]>([
  ['plain', '{"a":1}', { a: 1 }],
  ['white space around', '\n\t {"a":1} \n', { a: 1 }],
  ['byte-order mark', '\ufeff{"a":1}', { a: 1 }],
  ['HTML comment', '<!-- {"a":1} -->', { a: 1 }],
  ['HTML comment with spaces around', ' <!-- {"a":1} --> ', { a: 1 }],
  ['HTML comment hidden from scripts', '<!--\n{"a":1}\n//-->', { a: 1 }],
  ['the start of an HTML comment alone', '<!-- {"a":1}', { a: 1 }],
  ['the end of an HTML comment alone', '{"a":1} -->', { a: 1 }],
  ['CDATA', '<![CDATA[{"a":1}]]>', { a: 1 }],
  ['CDATA hidden by slashes', '//<![CDATA[\n{"a":1}\n//]]>', { a: 1 }],
  ['CDATA hidden by a comment', '/*<![CDATA[*/ {"a":1} /*]]>*/', { a: 1 }],
  ['CDATA in a comment', '<!--//<![CDATA[\n{"a":1}\n//]]>-->', { a: 1 }],
  ['semicolon', '{"a":1};', { a: 1 }],
  ['semicolons', '{"a":1} ; ;', { a: 1 }],
  ['raw line break', '{"a":"x\ny"}', { a: 'x y' }],
  ['raw control characters', '{"a":"x\u0001\u001fy"}', { a: 'x  y' }],
  ['trailing comma in an object', '{"a":1,}', { a: 1 }],
  ['trailing comma in a list', '[1,2,\n]', [1, 2]],
  ['comma in a string', '{"a":",]"}', { a: ',]' }],
  ['backslash before an apostrophe', String.raw`{"a":"It\'s"}`, { a: "It's" }],
  ['escaped quote and other errors', String.raw`{"a":"\"x\"","b":"\\",}`, { a: '"x"', b: '\\' }],
  ['valid JSON is unchanged', String.raw`{"a":"\u0041\n"}`, { a: 'A\n' }],
  ['nothing', '', undefined],
  ['only a wrapper', '<!-- -->', undefined],
  ['only half of a wrapper', '<!-->', undefined],
  ['many wrappers', '<!--'.repeat(9) + '{"a":1}' + '-->'.repeat(9), { a: 1 }],
  ['an assignment', 'var a = {"a":1};', { a: 1 }],
  ['the end of CDATA in a string', '{"a":"]]>"}', { a: ']]>' }],
  ['a list in CDATA', '<![CDATA[\n[1]]]>', [1]],
  ['many semicolons', '{"a":1}' + ' ;'.repeat(1_000), { a: 1 }],
  ['quotes and brackets in strings', String.raw`{"a":"\"[[{,"}`, { a: '"[[{,' }],
  ['half', '{"a":', undefined],
  ['no JSON', 'var a = 1', undefined],
  ['single quotes', "{'a':'x'}", { a: 'x' }],
  ['double quotes in single quotes', `{'a':'x "y"'}`, { a: 'x "y"' }],
  ['an apostrophe in double quotes', `{"a":"it's",}`, { a: "it's" }],
  ['an escaped apostrophe in single quotes', String.raw`{'a':'it\'s'}`, { a: "it's" }],
  ['a comment to the end of the line', '{"a":1, // one\n"b":2}', { a: 1, b: 2 }],
  ['a comment in the line', '{"a":/* one */1}', { a: 1 }],
  ['slashes in a string are not a comment', '{"a":"https://site.test/",}', { a: 'https://site.test/' }],
  ['one bracket too many', '{"a":1}}', { a: 1 }],
  ['one bracket of another kind too many', '{"a":[1]}]', { a: [1] }],
  ['quotes in a string', '{"a":"She said "no" twice","b":"x "y""}', { a: 'She said "no" twice', b: 'x "y"' }],
  ['escaped and other quotes in a string', String.raw`{"a":"\"x\" "y" z"}`, { a: '"x" "y" z' }],
  ['a missing comma between texts', '["a" "b"]', undefined],
  ['one bracket too few', '{"a":[1}', undefined],
  ['brackets in strings do not count', '{"a":"}}","b":1,}', { a: '}}', b: 1 }],
])('%s', (_, script, expected) => expect(parsedJsonLd(script)).toEqual([expected]))

describe('JSON-LD over a limit is not parsed', () => {
  const isRead = (...scripts: string[]) => parsedJsonLd(...scripts).map((block) => block !== undefined)
  const nested = (depth: number) => `${'{"@graph":'.repeat(depth)}1${'}'.repeat(depth)}`
  const list = (values: number) => `[${'1,'.repeat(values - 1)}1]`

  test('values nested too deep', () => {
    expect(isRead(nested(MAX_JSON_LD_DEPTH), nested(MAX_JSON_LD_DEPTH + 1), '{}')).toEqual([true, false, true])
  })

  test('too many values in one block', () => {
    expect(isRead(list(MAX_JSON_LD_VALUES))).toEqual([true])
    expect(isRead(list(MAX_JSON_LD_VALUES + 1), '[]')).toEqual([false, true])
  })

  test('too many values behind a quote in single quotes', () => {
    const quoted = (values: number) => `['"',${list(values)}]`
    expect(isRead(quoted(MAX_JSON_LD_VALUES), quoted(1_000))).toEqual([false, true])
    expect(isRead(quoted(MAX_JSON_LD_VALUES - 1_000), quoted(1_000))).toEqual([true, false])
  })

  test('too many values in all blocks', () => {
    const half = list(MAX_JSON_LD_VALUES / 2 - 1)
    expect(isRead(half, half, half, '[]')).toEqual([true, true, false, true])
  })
})
