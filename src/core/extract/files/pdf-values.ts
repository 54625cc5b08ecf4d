import { sniffCharset } from '../reading/charset.ts'
import { decoderOf } from '../reading/text.ts'
import type { EncodedPage } from '../reading/transcode.ts'
import { xmlValues } from './xml-values.ts'

/** The start of an object. */
const OBJECT = /\d\s+\d+\s+obj\b/

/** Keys of the document information dictionary. Entries of an outline have titles too, but none of these. */
const INFORMATION = /\/(?:Producer|Creator|CreationDate|ModDate)\b/

/** A literal string of up to 2,000 bytes, in which parentheses are escaped or paired, or a string in hexadecimal. */
const TITLE = /\/Title\s*(?:\(((?:[^\\()]|\\[^]|\((?:[^\\()]|\\[^]){0,2000}\)){0,2000})\)|<([\dA-Fa-f\s]*)>)/

const ESCAPE = /\\(?:([0-7]{1,3})|(\r\n|[^]))/g

/** An escaped line break is not part of the string. */
const ESCAPED = new Map(Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '\n': '', '\r': '', '\r\n': '' }))

/** The characters of PDFDocEncoding that Latin-1 does not have, from 0x18 and from 0x80: ISO 32000-2 annex D.3. */
const ACCENTS = '˘ˇˆ˙˝˛˚˜'
const PUNCTUATION = '•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž\ufffd€'

/** Characters of no text. An encrypted title has them, if the start of the file does not say that it is encrypted. */
const NOT_TEXT = /[\0-\x08\x0b\x0c\x0e-\x17\x7f\ufffd]/

/** What programs write for a document without a title, and the names of the files from which a PDF was made. */
const NO_TITLE =
  /^\W*(?:microsoft (?:word|excel|powerpoint) - .*|powerpoint presentation|(?:untitled|unspecified|anonymous|document|presentation|slide)(?: document| slide)?\W*\d*\W*|.*\.(?:docx?|rtf|odt|pptx?|odp|xlsx?|ods|indd|qxd|pub|wpd|tex|dvi|e?ps|pdf))$/is

const XMP_TITLE = 'rdf:rdf/rdf:description/dc:title/rdf:alt/rdf:li'

/**
 * Returns the titles in the start of a PDF: that of the document information dictionary (ISO 32000-2 section 14.3.3) and
 * that of the XMP metadata. None if they are encrypted or compressed.
 */
export function pdfValues({ bytes }: EncodedPage): Map<string, string> {
  const text = Buffer.from(bytes).toString('latin1')
  const titles = text.includes('/Encrypt') ? {} : { 'pdf title': informationTitle(text), 'xmp title': xmpTitle(text) }
  return new Map(Object.entries(titles).filter(([, title]) => !NOT_TEXT.test(title) && !NO_TITLE.test(title.trim())))
}

/** An update appends another dictionary, so the last one is used. */
function informationTitle(text: string): string {
  const objects = text.split(OBJECT).filter((object) => INFORMATION.test(object))
  const [, literal, hex = ''] = objects.map((object) => TITLE.exec(object)).findLast((title) => title !== null) ?? []
  if (literal === undefined) return decoded(Buffer.from(hex.replace(/\s/g, ''), 'hex'))
  const string = literal.replace(ESCAPE, (_, octal: string | undefined, character: string) =>
    octal === undefined ? (ESCAPED.get(character) ?? character) : String.fromCharCode(Number.parseInt(octal, 8) & 0xff),
  )
  return decoded(Buffer.from(string, 'latin1'))
}

/** Section 7.9.2.2: UTF-16 or UTF-8 with a byte-order mark, or PDFDocEncoding. Some programs write UTF-8 without a mark. */
function decoded(bytes: Uint8Array): string {
  const { encoding, from } = sniffCharset({ bytes, contentType: '', isWhole: true })
  if (from !== 'fallback') return decoderOf(encoding).decode(bytes)
  const character = (byte: number) => ACCENTS[byte - 0x18] ?? PUNCTUATION[byte - 0x80] ?? String.fromCharCode(byte)
  return Array.from(bytes, character).join('')
}

/** The title in the XMP packet of the document. Those of images in it have no `pdf:Producer`. */
function xmpTitle(text: string): string {
  const packets = text.split('</x:xmpmeta>').map((before) => before.slice(before.lastIndexOf('<x:xmpmeta')))
  const packet = packets.find((one) => one.includes('pdf:Producer')) ?? ''
  return xmlValues({ bytes: Buffer.from(packet, 'latin1'), encoding: 'utf-8' }, [XMP_TITLE]).get(XMP_TITLE) ?? ''
}
