import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'

import { Sieve } from '../../../../src/core/extract/page/sieve.ts'
import { browserView } from '../browser-view.ts'
import { sieveView } from '../sieve-view.ts'
import { randomRuns } from '../../../random-runs.ts'

/** Fragments of HTML that change how the following ones are parsed. */
const FRAGMENTS = [
  ['<meta name=description content="a">', '<meta name="author" content=b>', "<META NAME=title CONTENT='c'>"],
  ['<meta name=date content=d', '<meta/name=description/content=x/>', '<link rel=icon href=i.png>', '<base href=/x/>'],
  ['<html lang=en>', '<head>', '</head>', '<body>', '</body>', '</html>', '<!doctype html>', '<svg/>', '<plaintext>'],
  ['<title>', '</title>', '</title >', '<textarea>', '</textarea>', '<style>', '</style>', '<xmp>', '</xmp>'],
  ['<script>', '</script>', '<script type=application/ld+json>', '<scr', 'script', '<iframe>', '</iframe>'],
  ['<noembed>', '</noembed>', '<template>', '</template>', '<noscript>', '</noscript>'],
  ['<!--', '-->', '--!>', '<!', '<?', '</', '<', '>', '-', '!', '"', "'", '=', '/', ' ', '\n', '\0'],
  ['<![CDATA[', ']]>', '&amp;', '&copy', '&#', 'text', 'é', 'content=z', 'name', '<a href="'],
  ['<p>', '</p>', '<div>', '</div>', '<br>', '<table>', '</table>', '<td>'],
].flat()

/** An iframe that is not closed in a noscript, whose end the sieve also takes as the end of the frame. */
const OPEN_FRAME = /<noscript>[^]*<iframe>(?![^]*<\/iframe>[^]*<\/noscript>)[^]*<\/noscript>/

/** Elements by their allowed content in well-nested svg and MathML. */
const HTML_NAMES = ['div', 'p', 'section', 'template', 'noscript', 'h1', 'ul']
const LEAVES = [
  ['<meta name=description content="a">', '<meta name="author" content=b />', '<link rel=icon href=i.png>'],
  ['<base href=/x/>', '<title>T &amp; <b></title>', '<style>a<b</style>', 'text', '<br>', '<img src=x>'],
  ['<script type=application/ld+json>{"a":"<b>"}</script>', '<script>"<meta name=date content=no>"</script>'],
  ['<!-- <meta name=date content=no> -->'],
].flat()
const SVG_LEAVES = ['<title>Logo</title>', '<desc>text</desc>']
const FOREIGN_LEAVES = [
  ['<path d="M0"/>', '<style>a{b}</style>', 'text', '<link rel=icon href=no.png>', '<base href=/no/>'],
  ['<script>1</script>', '<![CDATA[<meta name=date content=no>]]>'],
].flat()

const { html } = fc.letrec<{ html: string; svg: string; math: string }>((tie) => ({
  html: oneOf(
    fc.constantFrom(...LEAVES),
    element(HTML_NAMES, tie('html')),
    element(['svg'], tie('svg')),
    element(['math'], tie('math')),
  ),
  svg: oneOf(
    fc.constantFrom(...FOREIGN_LEAVES, ...SVG_LEAVES),
    element(['g', 'a', 'svg'], tie('svg')),
    element(['foreignObject'], tie('html')),
  ),
  math: oneOf(
    fc.constantFrom(...FOREIGN_LEAVES, '<title>no</title>'),
    element(['mrow', 'math'], tie('math')),
    element(['mi', 'mtext'], tie('html')),
  ),
}))

function oneOf(...choices: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.oneof({ maxDepth: 5, depthSize: 'small' }, ...choices)
}

function element(names: readonly string[], child: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...names), fc.array(child, { maxLength: 4 }))
    .map(([name, children]) => `<${name}>${children.join('')}</${name}>`)
}

describe('the sieve sees what a browser sees', () => {
  test('in any sequence of fragments', () => {
    const pages = fc
      .array(fc.constantFrom(...FRAGMENTS), { maxLength: 16 })
      .map((parts) => parts.join(''))
      .filter((page) => !OPEN_FRAME.test(page))
    fc.assert(
      fc.property(pages, (page) => expect(sieveView(page)).toEqual(browserView(page))),
      { numRuns: randomRuns(5_000) },
    )
  })

  test('in svg and MathML that are well nested', () => {
    const pages = fc.array(html, { maxLength: 5 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(pages, (page) => expect(sieveView(page)).toEqual(browserView(page))),
      { numRuns: randomRuns(1_000) },
    )
  })

  test.each([
    ['empty comment', '<!--><title>a</title>'],
    ['comment that ends after a hyphen', '<!---><title>a</title>'],
    ['comment that ends with --!>', '<!----!><title>a</title>'],
    ['comment with -!> inside', '<!---!><title>a</title> --><title>b</title>'],
    ['comment within a comment', '<!-- <!-- --><title>a</title>'],
    ['doctype with a quoted end', '<!doctype html "a>b"><title>a</title>'],
    ['end tag without a name', '</><title>a</title>'],
    ['end tag that is a comment', '</ <title>a</title>'],
    ['less-than before a digit', '<3<title>a</title>'],
    ['less-than before an at sign', '<@ <meta name=author content=a>'],
    ['less-than before a backtick', '<` <meta name=author content=a>'],
    ['less-than before a brace', '<{ <meta name=author content=a>'],
    ['tag truncated in a value', '<title>a</title><meta name=description content="b'],
    ['attribute without a name', '<meta =x name=author content=a>'],
    ['attribute with a quote in its name', '<meta "name=author content=a><title>b</title>'],
    ['attribute twice', '<meta name=author name=date content=a content=b>'],
    ['value that ends with a slash', '<link rel=icon href=a/>'],
    ['value after line breaks', '<meta name\n=\r\nauthor content\t=\f"a">'],
    ['script in a comment in a script', '<script><!-- <script></script> --></script><title>a</title>'],
    ['script with an empty comment', '<script><!--><script></script><title>a</title>'],
    ['script with a comment that is not closed', '<script><!-- </script><title>a</title>'],
    ['script end tag with attributes', '<script></script x="y"><title>a</title>'],
    ['raw text with a similar end tag', '<style></styles></style><title>a</title>'],
    ['truncated raw text', '<title>a</title><style></style'],
    ['svg title', '<svg><title>a</title></svg><title>b</title>'],
    ['svg script', '<svg><script><title>a</title></script></svg><title>b</title>'],
    ['svg left by a paragraph', '<svg><p><title>a</title>'],
    ['svg left by a styled font', '<svg><font color=a><title>a</title>'],
    ['svg not left by a plain font', '<svg><font><title>a</title>'],
    ['svg left by the end of the element around it', '<div><svg></div><title>a</title>'],
    ['MathML with HTML in an annotation', '<math><annotation-xml encoding=text/html><title>a</title></annotation-xml>'],
    ['MathML with another annotation', '<math><annotation-xml encoding=text/xml><title>a</title></annotation-xml>'],
    ['template in a template', '<template><template></template><title>a</title></template><title>b</title>'],
    ['template that is not closed', '<title>a</title><template><title>b</title>'],
    ['unmatched template end tag', '</template><title>a</title>'],
    ['template with svg that is not closed', '<template><svg></template><title>a</title>'],
    ['template in svg', '<svg><template></svg><title>a</title>'],
  ])('%s', (_, page) => expect(sieveView(page)).toEqual(browserView(page)))
})

test('whether enough was read is asked at the end of the head, and again only after new values', () => {
  const ends: number[] = []
  const sieve = new Sieve((harvest) => {
    ends.push(harvest.valueCount)
    return false
  })
  const text = '<p>x</p>'.repeat(5_000)
  const page = `<meta property=og:title content=T></head>${text}<p itemprop=author>a</p>${text}${text}${text}`
  sieve.read(new TextEncoder().encode(page), true)
  expect(ends).toEqual([0, 1])
})
