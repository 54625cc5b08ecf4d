import { describe, expect, test } from 'bun:test'

import { TextReader } from '../../../src/core/extract/reading/text.ts'

/** The decoded text between `<t>` and `</t>` of a document. */
function textOf(document: string, isXml = true): string {
  const bytes = new TextEncoder().encode(document)
  const reader = new TextReader(bytes, 'utf-8')
  reader.isXml = isXml
  return reader.text({ start: document.indexOf('<t>') + 3, end: document.indexOf('</t>') })
}

describe('entities that a document declares', () => {
  test.each<[name: string, document: string, text: string]>([
    ['in quotes', '<!DOCTYPE t [<!ENTITY a "A">]><t>&a;&a;</t>', 'AA'],
    ['in apostrophes', `<!DOCTYPE t [<!ENTITY a 'A "quoted"'>]><t>&a;</t>`, 'A "quoted"'],
    ['with references', '<!DOCTYPE t [<!ENTITY a "B &amp; C">]><t>&a;</t>', 'B & C'],
    ['beside those of HTML', '<!DOCTYPE t [<!ENTITY a "A">]><t>&a;&eacute;&b;</t>', 'Aé&b;'],
    ['none', '<t>&a;&amp;</t>', '&a;&'],
    ['that are longer than 256 characters', `<!DOCTYPE t [<!ENTITY a "${'x'.repeat(257)}">]><t>&a;</t>`, '&a;'],
    ['of another file', '<!DOCTYPE t [<!ENTITY a SYSTEM "file:///etc/passwd">]><t>&a;</t>', '&a;'],
  ])('%s', (_, document, text) => expect(textOf(document)).toBe(text))

  test('are not replaced in HTML', () => {
    expect(textOf('<!DOCTYPE t [<!ENTITY a "A">]><t>&a;</t>', false)).toBe('&a;')
  })

  test('add about 4,096 characters to a document at most', () => {
    const document = `<!DOCTYPE t [<!ENTITY a "${'x'.repeat(256)}">]><t>${'&a;'.repeat(1_000)}</t>`
    expect(textOf(document).replaceAll('&a;', '')).toHaveLength(17 * 256)
  })

  test('are not replaced in long texts', () => {
    expect(textOf(`<!DOCTYPE t [<!ENTITY a "A">]><t>&a;${'x'.repeat(5_000)}</t>`)).toStartWith('&a;x')
  })
})
