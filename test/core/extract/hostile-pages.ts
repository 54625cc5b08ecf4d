import { MAX_JSON_LD_BYTES } from '../../../src/core/extract/json-ld/json-ld-scripts.ts'

/** The head of a page that is read beyond its head, for an author and a date. */
const HEAD = '<meta property=og:title content=T></head>'

/** Pages that are slow to parse. Each function takes a size in bytes and returns a page of that size. */
export const HOSTILE_PAGES: Readonly<Record<string, (size: number) => string>> = {
  'unclosed div': filled('<div>'),
  'unclosed b': filled('<b>'),
  'misnested formatting': filled('<b><i></b></i>'),
  'unclosed p and a': filled('<p><a href=x>'),
  'unclosed title': filled('<title>'),
  'closed titles': filled('<title>a</title>'),
  'unclosed comment': filled('<!--'),
  'comment of hyphens': (size) => `<!--${'-'.repeat(size)}`,
  'comment of greater-than': (size) => `<!-- ${'>'.repeat(size)}`,
  'closed comments': filled('<!-->'),
  'bogus comments': filled('<!x>'),
  'unclosed bogus comment': filled('<!'),
  'processing instructions': filled('<?'),
  'less-than': filled('<'),
  'less-than and slash': filled('</'),
  'less-than and letter': filled('<a'),
  'greater-than': filled('>'),
  'attributes without value': (size) => `<meta ${'a '.repeat(size / 2)}>`,
  'different attributes': (size) => `<meta ${Array.from({ length: size / 12 }, (_, i) => `a${i}=${i}`).join(' ')}>`,
  'the same attribute': (size) => `<meta ${'content=a '.repeat(size / 10)}>`,
  'slashes in a tag': (size) => `<meta ${'/'.repeat(size)}>`,
  'equals signs in a tag': (size) => `<meta ${'='.repeat(size)}>`,
  'spaces in a tag': (size) => `<meta ${' '.repeat(size)}>`,
  'unclosed quote': (size) => `<meta property=og:title content="${'x'.repeat(size)}`,
  'many unclosed quotes': filled('<meta content="'),
  'tag name': (size) => `<${'a'.repeat(size)}>`,
  'attribute name': (size) => `<meta ${'a'.repeat(size)}=b>`,
  metas: filled('<meta name=a>'),
  'description metas': filled('<meta name=description content=a>'),
  'blank og:title metas': filled('<meta property=og:title content=" ">'),
  'property of many tokens': (size) => `<meta property="${'og:title '.repeat(size / 9)}" content=" ">`,
  'icon links': filled('<link rel=icon href=a>'),
  'icon links without address': filled('<link rel=icon href=data:,>'),
  'sizes of an icon': (size) => `<link rel=icon href=a sizes="${'16x16 '.repeat(size / 6)}">`,
  'rel of many tokens': (size) => `<link rel="${'icon '.repeat(size / 5)}" href=a>`,
  'canonical of a megabyte': (size) => `<link rel=canonical href="/${'a'.repeat(size)}">`,
  'links with hosts of combining characters': filled(
    `<link rel="canonical icon" href="http://a${['\u0301', '\u0316', '\u0338'].map((mark) => mark.repeat(2_700)).join('')}">`,
  ),
  'images that are no URL': filled('<meta property=og:image content="http://[">'),
  'megabyte title': (size) => `<title>${'x'.repeat(size)}</title>`,
  'title of white space': (size) => `<title>${' \n'.repeat(size / 2)}x</title>`,
  'title of references': (size) => `<title>${'&amp;'.repeat(size / 5)}</title>`,
  'title of ampersands': (size) => `<title>${'&'.repeat(size)}</title>`,
  'one long reference': (size) => `<title>&#${'1'.repeat(size)};</title>`,
  'titles of placeholders': filled('<title>{{a}}</title>'),
  'one placeholder after the other': (size) => `<title>${'{{a}}'.repeat(size / 5)}</title>`,
  'references in text': filled('&CounterClockwiseContourIntegral;'),
  'title that almost ends': (size) => `<title>${'</titl'.repeat(size / 6)}`,
  'script that almost ends': (size) => `<script>${'</scrip'.repeat(size / 7)}`,
  'script of less-than': (size) => `<script>${'<'.repeat(size)}`,
  'script of comments': (size) => `<script>${'<!--'.repeat(size / 4)}`,
  'script in script': (size) => `<script>${'<!--<script>'.repeat(size / 12)}`,
  scripts: filled('<script></script>'),
  'textareas and styles': filled('<textarea></textarea><style></style>'),
  svg: filled('<svg>'),
  'svg and back': filled('<svg><foreignObject>'),
  'math and back': filled('<math><mi><svg><desc>'),
  'breaking out of svg': filled('<svg><p>'),
  'CDATA sections': (size) => `<svg>${'<![CDATA[]]>'.repeat(size / 12)}`,
  'unclosed CDATA': (size) => `<svg><![CDATA[${']]'.repeat(size / 2)}`,
  templates: filled('<template>'),
  'templates in svg': filled('<svg><desc><template>'),
  'closing templates': (size) => '<template>'.repeat(size / 22) + '</template>'.repeat(size / 22),
  noscript: filled('<noscript>javascript</noscript>'),
  'mount points': filled('<div id=root>'),
  bases: filled('<base href=/a/>'),
  'refreshes without address': filled('<meta http-equiv=refresh content=1>'),
  'refresh of digits': (size) => `<meta http-equiv=refresh content="${'1'.repeat(size)}">`,
  'refresh of dots and spaces': (size) => `<meta http-equiv=refresh content="${'. '.repeat(size / 2)}">`,
  'lang of letters': (size) => `<html lang="${'a-'.repeat(size / 2)}">`,
  'items in items': filled('<div itemscope>'),
  'items in items, and more': (size) => `${'<div itemscope>'.repeat(15)}${'<div></div>'.repeat(size / 11)}`,
  'items of every class': filled('<p itemscope itemtype=http://schema.org/Article><meta itemprop=image content=:>'),
  'items of many names': (size) => `<div itemscope>${numbered(size / 29, (i) => `<x${i} itemscope></x${i}>`)}`,
  'items of one unknown name': (size) => `<${'x'.repeat(size / 2)} itemscope><${'x'.repeat(size / 2)}>`,
  'types of an item': (size) => `<div itemscope itemtype="${'a/Article '.repeat(size / 10)}">`,
  'properties of one element': (size) => `<meta itemprop="${'image '.repeat(size / 6)}" content=":">`,
  'scripts of a challenge': filled('<script src=a></script>', '<title>Just a moment...</title>'),
  'script without a challenge': (size) =>
    `<title>Just a moment...</title><script>${'hcaptcha '.repeat(size / 9)}</script>`,
  'different attributes of a meta': (size) =>
    `<meta ${Array.from({ length: size / 8 }, (_, i) => `b${i}=c`).join(' ')}>`,
  'content of charsets': (size) => `<meta http-equiv=content-type content="${'charset '.repeat(size / 8)}">`,
  'content of charsets and spaces': (size) => `<meta http-equiv=content-type content="charset${' '.repeat(size)}">`,
  'metas of unknown charsets': filled('<meta charset=x>'),
  'metas of unknown content types': filled('<meta http-equiv=content-type content="charset=x">'),
  'charset of a megabyte': (size) => `<meta charset="${'x'.repeat(size)}">`,
  'XML declaration': (size) => `<?xml ${'encoding'.repeat(size / 8)}`,
  'encoding of an XML declaration': (size) => `<?xml encoding="${'x'.repeat(size)}"?>`,
  'noscript in noscript': filled('<noscript><img>'),
  'bytes that are no UTF-8': filled('\u00e9'),
  'nested JSON-LD lists': jsonLd((size) => '['.repeat(size / 2) + ']'.repeat(size / 2)),
  'nested JSON-LD objects': jsonLd((size) => `${'{"a":'.repeat(size / 6)}1${'}'.repeat(size / 6)}`),
  'nested JSON-LD, 40,000 deep': jsonLd(() => `${'{"@graph":['.repeat(40_000)}${']}'.repeat(40_000)}`),
  'nested JSON-LD, never closed': jsonLd((size) => '{"@graph":['.repeat(size / 11)),
  'nested JSON-LD values': jsonLd((size) => `{"headline":${'{"@list":'.repeat(size / 10)}1${'}'.repeat(size / 10)}}`),
  'nested JSON-LD at the maximum depth': jsonLd(() => `[${repeated(`${'['.repeat(98)}${']'.repeat(98)}`, 19_000)}]`),
  'JSON-LD nodes': jsonLd((size) => `[${'{},'.repeat(size / 3 - 2)}{}]`),
  'the maximum number of JSON-LD nodes': jsonLd(() => `[${repeated('{"@type":"Article"}', 100_000)}]`),
  'JSON-LD nodes, each of a different type': jsonLd(
    () => `[${Array.from({ length: 4_900 }, (_, i) => `{"${'x'.repeat(90)}${i}":1}`).join()}]`,
  ),
  'JSON-LD properties': jsonLd(() => `{${Array.from({ length: 9_900 }, (_, i) => `"a${i * 7_919}":1`).join()}}`),
  'JSON-LD of compact IRIs': jsonLd(() => `{${Array.from({ length: 9_900 }, (_, i) => `"a${i}:b${i}":1`).join()}}`),
  'JSON-LD of a compact IRI and spaces': jsonLd((size) => `{"a:b"${' '.repeat(size - 10)}:1}`),
  'JSON-LD of long prefixes': jsonLd((size) => `["${'a-'.repeat(size / 4)}","${'a-'.repeat(size / 4 - 5)}"]`),
  'JSON-LD of definitions of prefixes': jsonLd(
    (size) => `{"a:b":1,"c":[${'"a":"http://schema.org/",'.repeat(size / 25 - 2)}1]}`,
  ),
  'JSON-LD authors': jsonLd(() => `{"@type":"Article","author":[${repeated('{"name":"{{A}}"}', 80_000)}]}`),
  'JSON-LD authors of one id': jsonLd(
    (size) =>
      `[{"@type":"Article","author":[${repeated('{"@id":"#a"}', 50_000)}]},` +
      `{"@id":"#a","name":[${repeated(`"{{${'&amp;'.repeat(6_000)}}}"`, size - 60_000)}]}]`,
  ),
  'JSON-LD images of one id': jsonLd(
    (size) =>
      `[{"@type":"Article","image":[${repeated('{"@id":"#a"}', 50_000)}]},` +
      `{"@id":"#a","url":[${repeated(`"data:${'&amp;'.repeat(6_000)}"`, size - 60_000)}]}]`,
  ),
  'JSON-LD articles of other pages': jsonLd(() => `[${repeated('{"@type":"Article","url":"/x"}', 100_000)}]`),
  'JSON-LD of one text': jsonLd((size) => `{"headline":"${'a'.repeat(size - 20)}"}`),
  'JSON-LD of commas': jsonLd((size) => ','.repeat(size)),
  'JSON-LD of commas and spaces': jsonLd((size) => `[${`1,${' '.repeat(98)}`.repeat(size / 100 - 1)}]`),
  'JSON-LD of quotes': jsonLd((size) => '"'.repeat(size)),
  'JSON-LD of backslashes': jsonLd((size) => `"${'\\'.repeat(size - 1)}`),
  'JSON-LD of needless backslashes': jsonLd((size) => `{"headline":"${'\\q'.repeat(size / 2 - 10)}"}`),
  'JSON-LD of line breaks': jsonLd((size) => `{"headline":"${'\n'.repeat(size - 20)}"}`),
  'JSON-LD of spaces that is broken': jsonLd((size) => `{"a":"b"c"${' '.repeat(size - 10)}`),
  'JSON-LD of quotes that is broken': jsonLd((size) => `{"a":"${' "'.repeat((size - 6) / 2)}`),
  'JSON-LD of lines': jsonLd((size) => `{"headline":"${'\na'.repeat(size / 2 - 10)}"}`),
  'JSON-LD of semicolons': jsonLd((size) => ';'.repeat(size)),
  'JSON-LD of semicolons and spaces': jsonLd((size) => `{}${'; '.repeat(size / 2 - 1)}`),
  'JSON-LD of white space': jsonLd((size) => ' '.repeat(size)),
  'JSON-LD of comment marks': jsonLd((size) => '<!--'.repeat(size / 4)),
  'JSON-LD of comment ends': jsonLd((size) => '-->'.repeat(size / 3)),
  'JSON-LD of CDATA marks': jsonLd((size) => '<![CDATA['.repeat(size / 9)),
  'references in JSON-LD': jsonLd((size) => `{"headline":"${'&amp;'.repeat(size / 5 - 4)}"}`),
  'JSON-LD blocks': filled('<script type=application/ld+json>{}</script>'),
  'broken JSON-LD blocks': filled('<script type=application/ld+json>{,</script>'),
  'JSON-LD of single quotes': jsonLd((size) => `{'headline':'${'"'.repeat(size - 20)}'}`),
  'JSON-LD of strings in single quotes': jsonLd((size) => `[${"'',".repeat(size / 3 - 2)}'']`),
  'JSON-LD of comments': jsonLd((size) => '//\n'.repeat(size / 3)),
  'JSON-LD of comments that do not end': jsonLd((size) => '/*'.repeat(size / 2)),
  'JSON-LD of slashes': jsonLd((size) => '/ '.repeat(size / 2)),
  'JSON-LD of closing brackets': jsonLd((size) => '}'.repeat(size)),
  'JSON-LD scripts after the head': filled(`<script type=application/ld+json>{"a":1}</script>`, HEAD),
  'large JSON-LD scripts after the head': filled(
    `<script type=application/ld+json>[${'{"@type":"WebPage"},'.repeat(400)}{}]</script>`,
    HEAD,
  ),
  bylines: filled('<p class=byline>By', HEAD),
  'bylines in bylines': filled('<div class="author byline">', HEAD),
  'bylines without a name': filled('<p class=author><b>about</b></p>', HEAD),
  'bylines as long as are read': filled(`<div class=author>${'<b>b</b>'.repeat(30)}${'by '.repeat(800)}</div>`, HEAD),
  'dates without a year': filled('<p class=date>1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1</p>', HEAD),
  'dates of days without a month': filled(`<p class=date>${'1 aaaaaaaaaaaa '.repeat(18)}2016</p>`, HEAD),
  'dates in metas': filled(`<meta name=date content="${'a 1, '.repeat(99)}">`),
  'time elements': filled('<time datetime=2016-01-01>', HEAD),
  'links of authors': filled('<a rel=author href=/author/a>@a</a>', HEAD),
  'an address of folders': (size) => `${HEAD}<a href="${'/author'.repeat(size / 7)}">`,
  'a relation of many tokens on a link': (size) => `${HEAD}<a rel="${'x author '.repeat(size / 9)}">`,
  'a class of many words': (size) => `${HEAD}<p class="${'author-date '.repeat(size / 12)}">`,
  'a class of one word': (size) => `${HEAD}<p class="${'a'.repeat(size)}">`,
  'a class of capitals': (size) => `${HEAD}<p class="${'aB'.repeat(size / 2)}">`,
  'comments that do not end': filled('<div class=comments>', HEAD),
  'a headline and open elements': filled('<b>', `${HEAD}<h1>`),
  'a headline and end tags': (size) => `${HEAD}<h1>T</h1>${'<b>'.repeat(100)}${'</i>'.repeat(size / 4 - 80)}`,
  'a headline and texts': filled('By<b>', `${HEAD}<h1>T</h1>`),
  'microdata authors': filled('<p itemprop=author>', HEAD),
  'microdata authors in items': filled('<p itemprop=author itemscope><b itemprop=name>@a</b></p>', HEAD),
  'RDFa dates': filled('<p property=schema:datePublished>', HEAD),
  'authors in metas': filled('<meta name=author content="by by by by @a">'),
  'authors of a paper': (size) =>
    `<meta name=citation_author content="${Array.from({ length: size / 9 }, (_, i) => `Jo ${i + 1e5}`).join(';')}">`,
  'JSON-LD of quotes, then of spaces': (size) =>
    [`"${'"'.repeat(size * 0.4)}x`, `"${'x"y '.repeat(size / 10)}"`, `${' '.repeat(size * 0.2)}x`]
      .map((text) => `<script type=application/ld+json>{"a":${text}}</script>`)
      .join(''),
  'authors of papers with spaces after a comma': (size) =>
    `<meta name=citation_author content="a,${' '.repeat(size / 20)},b">`.repeat(20),
  'authors, and a site name of combining characters': filled(
    '<meta name=author content="Jo Doe"><meta name=author content="Ann Roe">',
    `<meta property=og:site_name content="a${'\u0345'.repeat(5_000)}${'\u0316'.repeat(5_000)}">`,
  ),
  'names that almost end with an address': (size) =>
    numbered(size / 550, (i) => `<meta name=author content="x${i}${'[@'.repeat(240)}a"><meta name=author>`),
  'long blank values of many properties': (size) =>
    `<meta property=og:title content=T></head>${numbered(size / 65_000, (i) => `<meta property="${DATE_NAMES}" name=date content="x${i}${'&zwnj;'.repeat(10_800)}">`)}` +
    '<script type=application/ld+json></script>'.repeat(12),
  'a name of prefixes': (size) => `<meta name=author content="${'by '.repeat(size / 3)}">`,
  'a name of slashes': (size) => `<meta name=author content="${' / '.repeat(size / 3)}a">`,
  'a description of tags': (size) => `<meta name=description content="${'<b '.repeat(size / 3 - 20)}</b>">`,
  'a description encoded twice': (size) => `<meta name=description content="${'&amp;#38;'.repeat(size / 9)}">`,
  'zero bytes': filled('\0'),
  'zero bytes in a title': (size) => `<title>${'\0'.repeat(size)}</title>`,
  'text of one word': filled('x'),
}

/** Names of a date. */
const DATE_NAMES =
  'article:published_time datePublished date pubdate publishdate dc.date dcterms.date dcterms.created dcterms.issued sailthru.date'

/** The pieces with the numbers from 100,000. */
function numbered(count: number, piece: (i: number) => string): string {
  return Array.from({ length: Math.ceil(count) }, (_, i) => piece(100_000 + i)).join('')
}

function filled(piece: string, before = ''): (size: number) => string {
  return (size) => before + piece.repeat(Math.ceil(size / piece.length))
}

/** As many list members as fit into `size` characters. */
function repeated(member: string, size: number): string {
  return Array.from({ length: Math.floor(size / (member.length + 1)) }, () => member).join()
}

/** A page with the longest script that is read; the rest of the size is text. */
function jsonLd(json: (size: number) => string): (size: number) => string {
  return (size) => {
    const script = `<script type="application/ld+json">${json(Math.floor((size / 1_000_000) * MAX_JSON_LD_BYTES))}</script>`
    return script + 'x'.repeat(Math.max(0, size - script.length))
  }
}
