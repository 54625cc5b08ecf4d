/** Encodings of which characters have one or two bytes; EUC-JP has characters of three, which the texts do not use. */
const TWO_BYTES = /^(?:shift_jis|euc-jp|euc-kr|gbk|big5)$/

/** How pages in older encodings write characters that those do not have. */
const SUBSTITUTES: Readonly<Record<string, string>> = {
  '«': '"',
  '»': '"',
  '“': '"',
  '”': '"',
  '„': '"',
  '’': "'",
  '—': '-',
  '–': '-',
  '·': '-',
  '€': 'EUR',
  '\u200c': ' ',
}

/** The marks of Vietnamese tones, which windows-1258 has as characters of their own. */
const TONES = /[\u0300\u0301\u0303\u0309\u0323]/

const tables = new Map<string, ReadonlyMap<string, number[]>>()

/** The bytes of each character, found by decoding all sequences of one or two bytes. */
function tableOf(encoding: string): ReadonlyMap<string, number[]> {
  return tables.getOrInsertComputed(encoding, () => {
    const decoder = new TextDecoder(encoding as Bun.Encoding)
    const table = new Map<string, number[]>()
    const add = (...bytes: number[]) => {
      const text = decoder.decode(Uint8Array.from(bytes))
      if ([...text].length === 1 && text !== '\ufffd' && !table.has(text)) table.set(text, bytes)
    }
    for (let first = 0; first < 0x100; first++) add(first)
    if (TWO_BYTES.test(encoding)) {
      for (let first = 0x81; first < 0xff; first++) for (let second = 0x40; second < 0xff; second++) add(first, second)
    }
    return table
  })
}

/** Encodes a text in a legacy encoding of the Encoding Standard. `TextEncoder` can only encode UTF-8. */
export function legacyBytes(text: string, encoding: string): Uint8Array {
  const table = tableOf(encoding)
  const bytesOf = (character: string): number[] => {
    const bytes = table.get(character)
    if (bytes !== undefined) return bytes
    const written = SUBSTITUTES[character] ?? withSeparateTone(character)
    if (written === character) throw new Error(`${encoding} has no ${character}`)
    return [...written].flatMap(bytesOf)
  }
  return Uint8Array.from([...text].flatMap(bytesOf))
}

function withSeparateTone(character: string): string {
  const parts = character.normalize('NFD')
  const tone = TONES.exec(parts)?.[0] ?? ''
  return parts.replace(tone, '').normalize('NFC') + tone
}
