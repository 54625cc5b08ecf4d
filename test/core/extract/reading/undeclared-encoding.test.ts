import { describe, expect, test } from 'bun:test'

import { extractHtml, PageScan } from '../../../../src/core/extract/extract.ts'
import { sniffCharset } from '../../../../src/core/extract/reading/charset.ts'
import { undeclaredEncoding } from '../../../../src/core/extract/reading/undeclared-encoding.ts'
import { guessEncoding } from '../../../../src/fetch/response/guess-encoding.ts'
import { legacyBytes } from './legacy-bytes.ts'
import texts from './undeclared-texts.json'

type Text = (typeof texts)[number]

const textIn = (language: string) => texts.find((text) => text.language === language)!

/** The metadata of a page that arrived from `host` without a charset, and its encoding, as the fetcher finds it. */
function readPage(bytes: Uint8Array, host = 'site.test') {
  const url = new URL(`https://${host}/page`)
  const scan = new PageScan(url)
  scan.read(bytes)
  const charset = sniffCharset({ bytes, contentType: 'text/html', isWhole: true })
  if (charset.from === 'fallback') charset.encoding = undeclaredEncoding(bytes, scan, guessEncoding)
  const { encoding } = charset
  return { encoding, ...extractHtml({ bytes, encoding, url, scan }).metadata }
}

/** A page with the head and the navigation of many sites. */
const pageOf = (title: string, body: string, root = '<html>') =>
  `<!doctype html>\n${root}<head><title>${title}</title>\n<style>body { margin: 0 }</style></head>\n` +
  `<body><div id="nav"><a href="/">Home</a> | <a href="/news">News</a></div><h1>${title}</h1>\n${body}\n</body></html>`

/** Several kilobytes. */
const longBody = ({ paragraph, more }: Text) => `<p>${paragraph}</p>\n` + `<p>${more}</p>\n`.repeat(4)

const LENGTHS: Readonly<Record<string, (text: Text) => string>> = {
  short: ({ paragraph }) => `<p>${paragraph}</p>`,
  long: longBody,
}

/** What says which language a page is in. */
const HINTS: Readonly<Record<string, (text: Text) => { root?: string; host?: string }>> = {
  nothing: () => ({}),
  'the language': ({ language }) => ({ root: `<html lang="${language}">` }),
  'the domain': ({ tld }) => ({ host: `site.${tld}` }),
}

/** Hungarian text is also plausible as windows-1252. */
const UNDETECTABLE = ['long hu windows-1250, known by nothing', 'long hu iso-8859-2, known by nothing']

describe('the title of a page that declares no encoding is right', () => {
  const cases = texts.flatMap((text) =>
    text.encodings.flatMap((encoding) =>
      Object.entries(LENGTHS).flatMap(([length, bodyOf]) =>
        Object.entries(HINTS).map(([hint, hintOf]) => {
          const name = `${length} ${text.language} ${encoding}, known by ${hint}`
          return [name, { text, encoding, body: bodyOf(text), ...hintOf(text) }] as const
        }),
      ),
    ),
  )

  test.each(cases.filter(([name]) => !UNDETECTABLE.includes(name)))('%s', (_, { text, encoding, body, root, host }) => {
    const { title } = readPage(legacyBytes(pageOf(text.title, body, root), encoding), host)
    expect(title).toBe(new TextDecoder(encoding as Bun.Encoding).decode(legacyBytes(text.title, encoding)))
  })

  test('nearly all of them', () => expect(UNDETECTABLE.length / cases.length).toBeLessThan(0.01))

  test.each<[encoding: string, title: string, root: string, host: string]>([
    ['shift_jis', '深夜の喫茶店で考えたこと', '<html>', 'site.test'],
    ['windows-1251', 'Погода в городе на неделю', '<html>', 'site.test'],
    ['gbk', '今天的天气和新闻', '<html>', 'site.test'],
    ['gbk', '首页新闻', '<html lang="zh-CN">', 'site.test'],
    ['windows-1251', 'Привет', '<html lang=ru>', 'site.test'],
    ['windows-1251', 'Привет', '<html lang=ru_RU>', 'site.test'],
    ['windows-1251', 'Привет', '<html><meta http-equiv=content-language content=ru>', 'site.test'],
    ['windows-1251', 'Привет', '<html lang=en>', 'site.ru'],
    ['windows-1250', 'Książka', '<html lang=pl>', 'site.test'],
    ['windows-1250', 'Zażółć gęślą jaźń', '<html lang=en-US>', 'site.test'],
    ['shift_jis', 'カタカナのページ', '<html lang="x-klingon">', 'site.test'],
    ['shift_jis', 'カタカナのページ', '<html lang="qqq">', 'site.test'],
    ['shift_jis', 'カタカナのページ', '<html lang="ja-">', 'site.test'],
    ['euc-kr', '골목길 작은 책방에서 보낸 하루', '<html>', '127.0.0.1'],
    ['windows-1251', 'Новости дня: погода в городе', '<html>', 'xn--e1aybc.xn--p1ai'],
  ])('%s: %s %s %s', (encoding, title, root, host) => {
    expect(readPage(legacyBytes(pageOf(title, '', root), encoding), host).title).toBe(title)
  })
})

describe('many letters are a better clue than', () => {
  test.each([
    ['ja', 'shift_jis', '<html lang="zh-CN">', 'site.cn'],
    ['ja', 'euc-jp', '<html>', 'site.ru'],
    ['zh-TW', 'big5', '<html lang=zh>', 'site.cn'],
    ['ru', 'koi8-r', '<html lang=ar>', 'site.sa'],
    ['pl', 'iso-8859-2', '<html lang=fr>', 'site.fr'],
    ['tr', 'windows-1254', '<html lang=lt>', 'site.lt'],
    ['fr', 'windows-1252', '<html>', 'site.pl'],
  ])('the wrong language or domain: %s %s, %s %s', (language, encoding, root, host) => {
    const text = textIn(language)
    const { title } = readPage(legacyBytes(pageOf(text.title, longBody(text), root), encoding), host)
    expect(title).toBe(new TextDecoder(encoding as Bun.Encoding).decode(legacyBytes(text.title, encoding)))
  })
})

const WESTERN = ['fr', 'de', 'es', 'pt', 'it', 'nl', 'sv', 'da', 'fi', 'is', 'ca', 'en']

/** Each has other encodings, or is used by sites of all countries. */
const DOMAINS = 'com org fr de es br io me tv ru ua rs pl cz hu ro tr gr il sa ir jp cn tw kr vn th lt ee'.split(' ')

describe('Western European text is not changed', () => {
  const withoutAccents = (text: string) => text.normalize('NFD').replaceAll(/\P{ASCII}/gv, '')

  describe.each(WESTERN)('%s', (language) => {
    const text = textIn(language)
    const words = `${text.title} ${text.paragraph} ${text.more}`.split(' ').filter((word) => /\P{ASCII}/v.test(word))
    const plain = withoutAccents(text.paragraph)
    const pages = [
      pageOf(text.title, ''),
      pageOf(text.title, `<p>${text.paragraph}</p>`),
      pageOf(text.title, longBody(text)),
      ...words.map((word) => pageOf('Page', `<p>${plain} ${word}</p>`)),
      ...words.map((word, i) => pageOf(words.at(i - 1)!, `<p>${word} ${plain}</p>`)),
    ]
      .filter((page) => /\P{ASCII}/v.test(page))
      .map((page) => legacyBytes(page, 'windows-1252'))

    test.each(DOMAINS)('in .%s', (domain) => {
      const encodings = new Set(pages.map((page) => readPage(page, `site.${domain}`).encoding))
      expect([...encodings]).toEqual(['windows-1252'])
    })
  })

  test.each([
    '© 2004 Acme Widgets. All rights reserved.',
    'Home\u00a0·\u00a0News\u00a0·\u00a0Contact',
    '« Previous page | Next page »',
    'Prices: £12, £13, €5 and 40 ¢',
    '12° today, ½ cup, ×2 ±3, 10 µm, § 12, ¶ 3',
    'it’s a “test” — isn’t it… yes',
    '——————————',
    '••••••••',
    '\u00a0\u00a0\u00a0\u00a0\u00a0\u00a0',
    '»»»» more ¤¤¤¤ ¯¯¯¯',
    'ÀÉÈÙ',
    "« À l'œuvre ! »",
    'ÿÿÿÿ',
  ])('%j', (title) => {
    const bytes = legacyBytes(pageOf(title, `<p>${title}</p>`), 'windows-1252')
    for (const domain of DOMAINS) {
      expect([domain, readPage(bytes, `site.${domain}`).encoding]).toEqual([domain, 'windows-1252'])
    }
  })
})

describe('UTF-8 with invalid bytes is not taken for another encoding', () => {
  test.each(['ja', 'zh-CN', 'ko', 'ru', 'el', 'he', 'th', 'pl', 'fr', 'vi'])('%s', (language) => {
    const text = textIn(language)
    for (const body of ['', `<p>${text.paragraph}</p>`, longBody(text).repeat(20)]) {
      const page = Buffer.from(pageOf(text.title, body, `<html lang=${language}>`))
      for (const invalid of [[0xe9], [0xff], [0xc3, 0x20, 0x93], [0xe3, 0x81]]) {
        const bytes = Buffer.concat([page, Buffer.from(invalid)])
        expect(readPage(bytes, `site.${text.tld}`).encoding).toBe('windows-1252')
      }
    }
  })

  test.each([0, 1, 2])('when the examined part ends %i bytes into a character', (offset) => {
    const bytes = Buffer.concat([Buffer.from(`é${'x'.repeat(offset)}${'日'.repeat(20_000)}`), Buffer.from([0xe9])])
    expect(readPage(bytes, 'site.jp').encoding).toBe('windows-1252')
  })
})

describe('the encoding is detected', () => {
  const { title, paragraph, more } = textIn('ja')

  test('although the text begins after a long style sheet', () => {
    const page = `<html><head><style>${'x { color: red } '.repeat(20_000)}</style><title>${title}</title>`
    expect(readPage(legacyBytes(page, 'euc-jp')).title).toBe(title)
  })

  test.each(['shift_jis', 'euc-jp'])('in %s, although a description ends inside a character', (encoding) => {
    for (const length of [41, 42, 61, 62]) {
      const bytes = Buffer.concat([
        Buffer.from('<html><head><meta name=description content="'),
        legacyBytes(paragraph, encoding).subarray(0, length),
        legacyBytes(`"><title>${title}</title></head><body><p>${more}</p></body></html>`, encoding),
      ])
      expect(readPage(bytes).title).toBe(title)
    }
  })

  test.each([
    ['a meta element', '<meta charset=iso-8859-1>', 'windows-1252'],
    ['a late meta element', `<style>${' '.repeat(2_000)}</style><meta charset=koi8-r>`, 'koi8-r'],
    ['an XML declaration', '<?xml version="1.0" encoding="windows-1251"?>', 'windows-1251'],
  ])('unless it is declared by %s', (_, declaration, encoding) => {
    const bytes = legacyBytes(declaration + pageOf(title, `<p>${paragraph}</p>`, '<html lang=ja>'), 'shift_jis')
    expect(readPage(bytes, 'site.jp').encoding).toBe(encoding)
  })

  test.each([
    ['one letter', 'é'],
    ['letters', 'éèçù'],
    ['letters between tags', 'é<'],
    ['words between tags', 'éèçù<'],
    ['tags, then letters', `${'é<'.repeat(2_000)}${'éèçù'.repeat(8_000)}`],
  ])('from a bounded number of bytes: %s', (_, text) => {
    let guessed = 0
    const bytes = legacyBytes(text.repeat(2_000_000 / text.length), 'windows-1252')
    undeclaredEncoding(bytes, { url: new URL('https://site.hu/'), locale: 'ja' }, (part, domain) => {
      guessed += part.length
      return guessEncoding(part, domain)
    })
    expect(guessed).toBeWithin(0, 300_000)
  })
})
