import { expect, test } from 'bun:test'

import { parseJsonLd } from '../../../src/core/extract/json-ld-text.ts'

test.each<[name: string, script: string, expected: unknown]>([
  ['plain', '{"a":1}', { a: 1 }],
  ['white space around', '\n\t {"a":1} \n', { a: 1 }],
  ['byte-order mark', '\ufeff{"a":1}', { a: 1 }],
  ['HTML comment', '<!-- {"a":1} -->', { a: 1 }],
  ['HTML comment hidden from scripts', '<!--\n{"a":1}\n//-->', { a: 1 }],
  ['CDATA', '<![CDATA[{"a":1}]]>', { a: 1 }],
  ['CDATA hidden by slashes', '//<![CDATA[\n{"a":1}\n//]]>', { a: 1 }],
  ['CDATA hidden by a comment', '/*<![CDATA[*/ {"a":1} /*]]>*/', { a: 1 }],
  ['CDATA in a comment', '<!--//<![CDATA[\n{"a":1}\n//]]>-->', { a: 1 }],
  ['semicolon', '{"a":1};', { a: 1 }],
  ['semicolons', '{"a":1} ; ;', { a: 1 }],
  ['raw line break', '{"a":"x\ny"}', { a: 'x y' }],
  ['raw control characters', '{"a":"x\u0000\u001fy"}', { a: 'x  y' }],
  ['trailing comma in an object', '{"a":1,}', { a: 1 }],
  ['trailing comma in a list', '[1,2,\n]', [1, 2]],
  ['comma in a string', '{"a":",]"}', { a: ',]' }],
  ['backslash before an apostrophe', String.raw`{"a":"It\'s"}`, { a: "It's" }],
  ['escaped quote beside faults', String.raw`{"a":"\"x\"","b":"\\",}`, { a: '"x"', b: '\\' }],
  ['valid JSON is taken as it is', String.raw`{"a":"\u0041\n"}`, { a: 'A\n' }],
  ['nothing', '', undefined],
  ['only a wrapper', '<!-- -->', undefined],
  ['half', '{"a":', undefined],
  ['no JSON', 'var a = 1', undefined],
  ['single quotes', "{'a':1}", undefined],
])('%s', (_, script, expected) => expect(parseJsonLd(script)).toEqual(expected))
