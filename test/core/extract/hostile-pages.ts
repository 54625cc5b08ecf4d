import { MAX_JSON_LD_BYTES } from '../../../src/core/extract/page.ts'

/** Pages made to be slow: each takes a size in bytes and fills it. */
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
  'nested JSON-LD, as deep as is read': jsonLd(() => `[${repeated(`${'['.repeat(98)}${']'.repeat(98)}`, 19_000)}]`),
  'JSON-LD nodes': jsonLd((size) => `[${'{},'.repeat(size / 3 - 2)}{}]`),
  'JSON-LD nodes, as many as are read': jsonLd(() => `[${repeated('{"@type":"Article"}', 100_000)}]`),
  'JSON-LD nodes, each of its own kind': jsonLd(
    () => `[${Array.from({ length: 4_900 }, (_, i) => `{"${'x'.repeat(90)}${i}":1}`).join()}]`,
  ),
  'JSON-LD properties': jsonLd(() => `{${Array.from({ length: 9_900 }, (_, i) => `"a${i * 7_919}":1`).join()}}`),
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
  'JSON-LD articles elsewhere': jsonLd(() => `[${repeated('{"@type":"Article","url":"/x"}', 100_000)}]`),
  'JSON-LD of one text': jsonLd((size) => `{"headline":"${'a'.repeat(size - 20)}"}`),
  'JSON-LD of commas': jsonLd((size) => ','.repeat(size)),
  'JSON-LD of commas and spaces': jsonLd((size) => `[${`1,${' '.repeat(98)}`.repeat(size / 100 - 1)}]`),
  'JSON-LD of quotes': jsonLd((size) => '"'.repeat(size)),
  'JSON-LD of backslashes': jsonLd((size) => `"${'\\'.repeat(size - 1)}`),
  'JSON-LD of needless backslashes': jsonLd((size) => `{"headline":"${'\\x'.repeat(size / 2 - 10)}"}`),
  'JSON-LD of line breaks': jsonLd((size) => `{"headline":"${'\n'.repeat(size - 20)}"}`),
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
  'zero bytes': filled('\0'),
  'zero bytes in a title': (size) => `<title>${'\0'.repeat(size)}</title>`,
  'text of one word': filled('x'),
}

function filled(piece: string, before = ''): (size: number) => string {
  return (size) => before + piece.repeat(Math.ceil(size / piece.length))
}

/** As many members of a list as fit into `size` characters. */
function repeated(member: string, size: number): string {
  return Array.from({ length: Math.floor(size / (member.length + 1)) }, () => member).join()
}

/** A page with a script that is as long as one may be and still be read; the rest of the size is text. */
function jsonLd(json: (size: number) => string): (size: number) => string {
  return (size) => {
    const script = `<script type="application/ld+json">${json(Math.floor((size / 1_000_000) * MAX_JSON_LD_BYTES))}</script>`
    return script + 'x'.repeat(Math.max(0, size - script.length))
  }
}
