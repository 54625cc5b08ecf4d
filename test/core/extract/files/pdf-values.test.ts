import { describe, expect, test } from 'bun:test'

import { describeFile } from '../../../../src/core/extract/describe-file.ts'

/** The title of the start of a PDF, in Latin-1, and its source. */
function titleOf(pdf: string) {
  const bytes = Buffer.from(pdf, 'latin1')
  const url = new URL('https://site.test/files/report.pdf')
  const { metadata, sources } = describeFile({ url, kind: 'other', bytes, encoding: 'windows-1252' })
  return { title: metadata.title, source: sources['title'] }
}

const STREAM = '5 0 obj\n<</Length 9/Filter/FlateDecode>>\nstream\nx\x9c\x03\x00(<\xff)\nendstream\nendobj\n'
const CATALOG = '1 0 obj\n<</Type/Catalog/Pages 2 0 R/Outlines 3 0 R>>\nendobj\n'
const OUTLINE = '4 0 obj\n<</Title (Chapter 1)/Parent 3 0 R/Dest [2 0 R /Fit]>>\nendobj\n'
const TRAILER = 'xref\n0 2\ntrailer\n<</Size 9/Root 1 0 R/Info 7 0 R>>\nstartxref\n9\n%%EOF\n'

const pdf = (...parts: string[]) => `%PDF-1.7\n%\xe2\xe3\xcf\xd3\n${CATALOG}${STREAM}${OUTLINE}${parts.join('')}`
const withInfo = (entries: string) => pdf(`7 0 obj\n<<${entries}>>\nendobj\n`, TRAILER)
const withTitle = (string: string) => withInfo(`/Producer (Test)/Title ${string}`)

const XMP = (title: string, producer = '<pdf:Producer>Test</pdf:Producer>') =>
  `8 0 obj\n<</Type/Metadata/Subtype/XML/Length 900>>\nstream\n<?xpacket begin="\xef\xbb\xbf" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="Test">
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about="" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">${producer}</rdf:Description>
  <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
   <dc:creator><rdf:Seq><rdf:li>Jo Doe</rdf:li></rdf:Seq></dc:creator>
   <dc:title><rdf:Alt><rdf:li xml:lang="x-default">${title}</rdf:li><rdf:li xml:lang="de">Anders</rdf:li></rdf:Alt></dc:title>
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>\nendstream\nendobj\n`

describe('the title of a PDF', () => {
  test.each<[writer: string, file: string, title: string]>([
    [
      'LibreOffice',
      withInfo(
        '/Author<FEFF004A006F>\n/Creator<FEFF005700720069007400650072>\n/Producer<FEFF004C>\n/Title<FEFF00DC006200650072002000480065006600650020201300200031>\n/CreationDate(D:20260814)',
      ),
      'Über Hefe – 1',
    ],
    [
      'pdfTeX with hyperref',
      withInfo(
        '\n/Author(Jo Doe)/Title(\\376\\377\\000O\\000n\\000\\040\\000\\050\\000l\\000i\\000n\\000e\\000a\\000r\\000\\051\\000\\040\\000t\\000i\\000m\\000e)/Subject()/Creator(LaTeX with hyperref)/Producer(pdfTeX-1.40.25)/PTEX.Fullbanner (This is pdfTeX)',
      ),
      'On (linear) time',
    ],
    [
      'pdfTeX without hyperref',
      withInfo('\n/Producer (pdfTeX-1.40.25)\n/Creator (TeX)\n/CreationDate (D:2026)'),
      'report.pdf',
    ],
    [
      'Word',
      withInfo(
        '/Title(Annual report) /Author(Jo Doe) /Creator(\xfe\xff\0M\0i\0c)/CreationDate(D:2026) /Producer(\xfe\xff\0M\0i\0c)',
      ),
      'Annual report',
    ],
    [
      'Chromium',
      `%PDF-1.4\n%\xd3\xeb\xe9\xe1\n1 0 obj\n<</Title (A page \\(printed\\))\n/Creator (Mozilla/5.0 \\(X11; Linux x86_64\\))\n/Producer (Skia/PDF m156)\n/CreationDate (D:2026)>>\nendobj\n3 0 obj\n<</ca 1>>\nendobj\n${STREAM}`,
      'A page (printed)',
    ],
    ['Quartz', withInfo(' /Title (Caf\\351) /Producer (macOS Quartz PDFContext) /CreationDate (D:2026) '), 'Café'],
  ])('as %s writes it', (_, file, title) => expect(titleOf(file).title).toBe(title))

  test.each<[name: string, string: string, title: string]>([
    ['parentheses in pairs', '(A (b) c)', 'A (b) c'],
    ['escaped parentheses', String.raw`(A \(b c)`, 'A (b c'],
    ['escapes of white space', String.raw`(A\tb\nc\rd)`, 'A b c d'],
    ['an escaped backslash', String.raw`(C:\\temp)`, 'C:\\temp'],
    ['an unknown escape', String.raw`(A\zb)`, 'Azb'],
    ['an escaped line break', '(A\\\r\nb\\\nc)', 'Abc'],
    ['octal escapes of one to three digits', String.raw`(\101\50\0512)`, 'A()2'],
    ['UTF-16', '(\xfe\xff\0A\x20\x13\0b)', 'A–b'],
    ['UTF-16 with an escaped byte', '(\xfe\xff\0A\0\\(\\n\\n)', 'A(ਊ'],
    ['UTF-16 beyond the first plane', '<FEFFD83DDE00>', '😀'],
    ['UTF-8 with a mark', '(\xef\xbb\xbfCaf\xc3\xa9)', 'Café'],
    ['UTF-8 without a mark', '(Caf\xc3\xa9)', 'Café'],
    ['PDFDocEncoding', '(\x8dA\x8e \x85 \xa0 5 \x93sh Cr\xe8me)', '“A” – € 5 ﬁsh Crème'],
    ['PDFDocEncoding of accents', '(\x1bA\x1fe\xe9)', '˙A˜eé'],
    ['hexadecimal with white space', '< 41 4\n2 43>', 'ABC'],
    ['white space in front', '\r\n (A)', 'A'],
    ['references of HTML', '(A &amp; b)', 'A & b'],
  ])('with %s', (_, string, title) => {
    expect(titleOf(withTitle(string))).toEqual({ title, source: 'pdf title' })
  })

  test.each<[name: string, file: string]>([
    ['that is blank', withTitle('( )')],
    ['that is empty in hexadecimal', withTitle('<>')],
    ['that does not end', pdf('7 0 obj\n<</Producer (Test)/Title (Annual rep')],
    ['of a chapter only', pdf(TRAILER)],
    ['in another object', withTitle('12 0 R')],
    ['of a PDF that is encrypted', `${withTitle('(Annual)')}trailer\n<</Encrypt 9 0 R>>`],
    ['that is not text', withTitle('(\x81\x9d\x03\x11Q\xfa)')],
    ['of Word', withTitle('(Microsoft Word - draft.doc)')],
    ['of PowerPoint', withTitle('(PowerPoint Presentation)')],
    ['of Acrobat', withTitle('(untitled)')],
    ['of ReportLab', withTitle('(\\(anonymous\\))')],
    ['of a new document', withTitle('(Document1)')],
    ['that is the name of its source', withTitle('(annual-report v2.indd)')],
    ['that is longer than 2,000 bytes', withTitle(`(${'x'.repeat(2_001)})`)],
  ])('%s is not used', (_, file) => expect(titleOf(file)).toEqual({ title: 'report.pdf', source: 'file name' }))

  test('of the last update is used', () => {
    const update = '7 0 obj\n<</ModDate (D:2027)/Title (Second)>>\nendobj\n'
    expect(titleOf(`${withTitle('(First)')}${update}${TRAILER}`).title).toBe('Second')
  })

  test.each<[name: string, file: string, title: string, source: string]>([
    ['in XMP', pdf(XMP('Caf\xc3\xa9 &amp; bar')), 'Café & bar', 'xmp title'],
    ['in both', pdf(XMP('In XMP'), '7 0 obj\n<</Producer ()/Title (In Info)>>\nendobj\n'), 'In Info', 'pdf title'],
    [
      'in XMP beside a placeholder',
      pdf(XMP('In XMP'), '7 0 obj\n<</ModDate ()/Title (untitled)>>'),
      'In XMP',
      'xmp title',
    ],
    ['in XMP of an image and of the document', pdf(XMP('An image', ''), XMP('In XMP')), 'In XMP', 'xmp title'],
    ['in XMP of an image only', pdf(XMP('An image', '')), 'report.pdf', 'file name'],
  ])('%s', (_, file, title, source) => expect(titleOf(file)).toEqual({ title, source }))
})
