import { describe, expect, test } from 'bun:test'

import { mimeTypeOf, sniffContent, type ContentType } from '../../../src/core/fetch/content-type.ts'

/** Up to the brands. */
const HEIF = '\0\0\0\x1cftypisom\0\0\0\0'

const PNG = '\x89PNG\r\n\x1a\n'
const XHTML_ELEMENT = '<div xmlns="http://www.w3.org/1999/xhtml">'
const JSON_FEED = '{ "version": "https://jsonfeed.org/version/1.1" }'
const JSON_FEED_OF_PHP = String.raw`{"version":"https:\/\/jsonfeed.org\/version\/1"}`

const CASES: readonly (readonly [name: string, header: string, start: string, type: ContentType])[] = [
  ['a page', 'text/html; charset=utf-8', '<p>', { kind: 'html', mimeType: 'text/html' }],
  ['a page without a tag', 'text/html', 'hello', { kind: 'html', mimeType: 'text/html' }],
  ['a page in capitals', 'TEXT/HTML', '<p>', { kind: 'html', mimeType: 'text/html' }],
  ['XHTML', 'application/xhtml+xml', '<html>', { kind: 'html', mimeType: 'application/xhtml+xml' }],
  ['a feed', 'application/rss+xml', '<?xml?><rss>', { kind: 'other', mimeType: 'application/xml' }],
  ['a feed as XML', 'text/xml', '\n<!-- <html> --><feed>', { kind: 'other', mimeType: 'application/xml' }],
  ['a feed with a prefix', 'application/xml', '<a:feed xmlns:a="x"', { kind: 'other', mimeType: 'application/xml' }],
  ['a feed with a style sheet', 'text/xml', '<?xml-stylesheet?><rss>', { kind: 'other', mimeType: 'application/xml' }],
  ['a feed as HTML', 'text/html', '<?xml?><rdf:RDF>', { kind: 'other', mimeType: 'application/xml' }],
  ['a feed as HTML without a declaration', 'text/html', ' <rss >', { kind: 'other', mimeType: 'application/xml' }],
  ['a page about feeds', 'text/html', '<rssfeed>', { kind: 'html', mimeType: 'text/html' }],
  ['a feed in UTF-16', 'text/xml', '\xff\xfe<\0r\0s\0s\0>\0', { kind: 'other', mimeType: 'application/xml' }],
  ['a feed as text', 'text/plain', '<?xml?><rss>', { kind: 'other', mimeType: 'text/plain' }],
  ['a sitemap', 'application/xml', '<urlset xmlns="x">', { kind: 'other', mimeType: 'application/xml' }],
  ['XML of other elements', 'application/xml', '<Error><Code>', { kind: 'other', mimeType: 'application/xml' }],
  ['XML of other elements as HTML', 'text/html', '<?xml?><note>', { kind: 'html', mimeType: 'text/html' }],
  ['XML of an SVG', 'text/xml', '<?xml?><svg>', { kind: 'image', mimeType: 'image/svg+xml' }],
  ['XML of HTML', 'text/xml', '<!DOCTYPE html><html>', { kind: 'html', mimeType: 'text/xml' }],
  ['XML with elements of XHTML', 'text/xml', XHTML_ELEMENT, { kind: 'html', mimeType: 'text/xml' }],
  ['XML that becomes a page', 'text/xml', '<?xml-stylesheet href="a.xsl"?><a>', { kind: 'html', mimeType: 'text/xml' }],
  ['XHTML as HTML', 'text/html', '<?xml?><!DOCTYPE html><html>', { kind: 'html', mimeType: 'text/html' }],
  ['XML', 'text/xml', '<?xml?>', { kind: 'html', mimeType: 'text/xml' }],
  ['an empty page', 'text/html', '', { kind: 'empty', mimeType: 'text/html' }],
  ['no bytes and no header', '', '', { kind: 'empty', mimeType: '' }],
  ['a page that is a PDF', 'text/html', '%PDF-1.7', { kind: 'other', mimeType: 'application/pdf' }],
  ['a page that is a PNG', 'text/html', PNG, { kind: 'image', mimeType: 'image/png' }],
  ['a page that is gzip', 'text/html', '\x1f\x8b\x08\0', { kind: 'other', mimeType: 'application/gzip' }],
  ['a page that is a video', 'text/html', '\0\0\0\x20ftypisom', { kind: 'other', mimeType: 'video/mp4' }],
  ['a page that begins like a BMP', 'text/html', 'BMW cars', { kind: 'html', mimeType: 'text/html' }],
  ['a page that begins like an MP3', 'text/html', 'ID3 tags explained', { kind: 'html', mimeType: 'text/html' }],
  ['a page that begins like a font', 'text/html', 'wOFF and wOF2', { kind: 'html', mimeType: 'text/html' }],
  ['a page that names a box of MP4', 'text/html', '<h1>ftyp</h1>', { kind: 'html', mimeType: 'text/html' }],
  ['a page that names a brand of MP4', 'text/html', '<h1>ftypavif', { kind: 'html', mimeType: 'text/html' }],
  ['a page that is a GIF', 'text/html', 'GIF89a\x01\0', { kind: 'image', mimeType: 'image/gif' }],
  ['a page that is a JPEG', 'text/html', '\xff\xd8\xff\xe0', { kind: 'image', mimeType: 'image/jpeg' }],
  ['a page that is a zip', 'text/html', 'PK\x03\x04', { kind: 'other', mimeType: 'application/zip' }],
  ['a page that is an AVIF', 'text/html', '\0\0\0\x1cftypavif', { kind: 'image', mimeType: 'image/avif' }],
  ['no type, a BMP', '', 'BM\x36\0', { kind: 'image', mimeType: 'image/bmp' }],
  ['no type, an MP3', '', 'ID3\x03\0', { kind: 'other', mimeType: 'audio/mpeg' }],
  ['a page that mentions PDF', 'text/html', '<p>%PDF-', { kind: 'html', mimeType: 'text/html' }],
  ['a PNG', 'image/png', PNG, { kind: 'image', mimeType: 'image/png' }],
  ['a PNG that is a page', 'image/png', '<!DOCTYPE html>', { kind: 'html', mimeType: 'text/html' }],
  ['an SVG', 'image/svg+xml', '<svg>', { kind: 'image', mimeType: 'image/svg+xml' }],
  ['an SVG after a comment', 'image/svg+xml', '<!-- x --><svg>', { kind: 'image', mimeType: 'image/svg+xml' }],
  ['a PDF', 'application/pdf', '%PDF-', { kind: 'other', mimeType: 'application/pdf' }],
  ['JSON', 'application/json; charset=utf-8', '{}', { kind: 'other', mimeType: 'application/json' }],
  ['JSON of a feed', 'application/json', JSON_FEED, { kind: 'other', mimeType: 'application/feed+json' }],
  ['JSON of PHP of a feed', 'text/json', JSON_FEED_OF_PHP, { kind: 'other', mimeType: 'application/feed+json' }],
  ['a JSON Feed', 'application/feed+json', '{}', { kind: 'other', mimeType: 'application/feed+json' }],
  ['text of a JSON Feed', 'text/plain', JSON_FEED, { kind: 'other', mimeType: 'text/plain' }],
  ['plain text with tags', 'text/plain', '<html>', { kind: 'other', mimeType: 'text/plain' }],
  ['bytes', 'application/octet-stream', '<html>', { kind: 'other', mimeType: 'application/octet-stream' }],
  ['no type, a doctype', '', '<!doctype html>', { kind: 'html', mimeType: 'text/html' }],
  ['no type, a doctype after space', '', '\r\n\t <!DOCTYPE HTML>', { kind: 'html', mimeType: 'text/html' }],
  ['no type, a doctype after a mark', '', '\xef\xbb\xbf<!doctype html>', { kind: 'html', mimeType: 'text/html' }],
  ['no type, a comment', '', '<!-- x -->', { kind: 'html', mimeType: 'text/html' }],
  ['no type, a tag', '', '<head lang=en>', { kind: 'html', mimeType: 'text/html' }],
  ['no type, a meta tag', '', '<meta charset=x>', { kind: 'html', mimeType: 'text/html' }],
  ['no type, an unknown tag', '', '<blockage>', { kind: 'other', mimeType: 'text/plain' }],
  ['no type, XML', '', '<?xml version="1.0"?><html>', { kind: 'html', mimeType: 'text/xml' }],
  ['no type, a feed', '', '<?xml version="1.0"?><rss>', { kind: 'other', mimeType: 'application/xml' }],
  ['no type, a feed without a declaration', '', '<feed xmlns="x">', { kind: 'other', mimeType: 'application/xml' }],
  ['no type, an SVG', '', '<?xml version="1.0"?>\n<svg xmlns="x">', { kind: 'image', mimeType: 'image/svg+xml' }],
  ['no type, a PDF', '', '%PDF-1.4', { kind: 'other', mimeType: 'application/pdf' }],
  ['no type, an icon', '', '\0\0\x01\0\x01\0', { kind: 'image', mimeType: 'image/x-icon' }],
  ['no type, a GIF', '', 'GIF89a', { kind: 'image', mimeType: 'image/gif' }],
  ['no type, a JPEG', '', '\xff\xd8\xff\xe0', { kind: 'image', mimeType: 'image/jpeg' }],
  ['no type, a WebP', '', 'RIFF\x01\x02\x03\x04WEBPVP8 ', { kind: 'image', mimeType: 'image/webp' }],
  ['no type, an AVIF', '', '\0\0\0\x1cftypavif', { kind: 'image', mimeType: 'image/avif' }],
  ['no type, an AVIF sequence', '', '\0\0\0\x2cftypavis', { kind: 'image', mimeType: 'image/avif' }],
  ['no type, an AVIF by its second brand', '', HEIF + 'mif1avif', { kind: 'image', mimeType: 'image/avif' }],
  ['no type, an AVIF that is HEIC too', '', HEIF + 'heicavif', { kind: 'image', mimeType: 'image/avif' }],
  ['no type, another image in HEIF', '', HEIF + 'mif1xxxx', { kind: 'other', mimeType: 'video/mp4' }],
  ['no type, a HEIC', '', '\0\0\0\x18ftypheic', { kind: 'image', mimeType: 'image/heic' }],
  ['no type, a HEIC sequence', '', HEIF + 'msf1hevc', { kind: 'image', mimeType: 'image/heic' }],
  ['no type, a JPEG XL', '', '\xff\x0a\x98\x70', { kind: 'image', mimeType: 'image/jxl' }],
  ['no type, a JPEG XL in a file', '', '\0\0\0\x0cJXL \r\n\x87\n', { kind: 'image', mimeType: 'image/jxl' }],
  ['no type, a TIFF', '', 'II*\0\x08', { kind: 'image', mimeType: 'image/tiff' }],
  ['no type, a TIFF, big endian', '', 'MM\0*\0', { kind: 'image', mimeType: 'image/tiff' }],
  ['no type, a PSD', '', '8BPS\0\x01\0', { kind: 'image', mimeType: 'image/vnd.adobe.photoshop' }],
  ['no type, a cursor', '', '\0\0\x02\0\x01\0', { kind: 'image', mimeType: 'image/x-icon' }],
  ['no type, a TGA', '', '\0\0\x02\0\0\0\0\0', { kind: 'other', mimeType: 'application/octet-stream' }],
  ['no type, text that begins like a BMP', '', '\xef\xbb\xbfBM', { kind: 'other', mimeType: 'text/plain' }],
  ['a page that is a HEIC', 'text/html', '\0\0\0\x18ftypheic', { kind: 'image', mimeType: 'image/heic' }],
  ['no type, a WAV', '', 'RIFF\x01\x02\x03\x04WAVEfmt ', { kind: 'other', mimeType: 'audio/wave' }],
  ['no type, text', '', 'hello', { kind: 'other', mimeType: 'text/plain' }],
  ['no type, UTF-16 text', '', '\xff\xfeh\0', { kind: 'other', mimeType: 'text/plain' }],
  ['no type, binary', '', 'a\0b', { kind: 'other', mimeType: 'application/octet-stream' }],
  ['an invalid type', 'html', '<html>', { kind: 'html', mimeType: 'text/html' }],
  ['an unknown type', 'unknown/unknown', '<html>', { kind: 'html', mimeType: 'text/html' }],
  ['any type', '*/*', '<html>', { kind: 'html', mimeType: 'text/html' }],
]

const bytesOf = (start: string): Uint8Array => Uint8Array.from(start, (character) => character.charCodeAt(0))

describe('sniffContent', () => {
  test.each(CASES)('%s', (_name, header, start, type) => {
    expect(sniffContent(header, bytesOf(start), true)).toEqual(type)
  })

  test('waits for more while there is nothing or only white space', () => {
    expect(sniffContent('', bytesOf(''), false)).toBeNull()
    expect(sniffContent('', bytesOf('<!doc'), false)).toBeNull()
    expect(sniffContent('', bytesOf(' '.repeat(4_095)), false)).toBeNull()
  })

  test('waits for the root of XML', () => {
    const start = `<?xml version="1.0"?><!-- ${'x'.repeat(100)} -->`
    expect(sniffContent('text/xml', bytesOf(start), false)).toBeNull()
    expect(sniffContent('', bytesOf(start), false)).toBeNull()
  })

  test('decides after 4 KB', () => {
    expect(sniffContent('', bytesOf(' '.repeat(4_096)), false)).toEqual({ kind: 'other', mimeType: 'text/plain' })
  })
})

describe('mimeTypeOf', () => {
  test.each([
    ['text/html', 'text/html'],
    [' Text/HTML ; charset=utf-8', 'text/html'],
    ['text/html;', 'text/html'],
    ['text', ''],
    ['', ''],
    ['text/html, text/html', ''],
    ['/', ''],
  ])('%p', (header, mimeType) => expect(mimeTypeOf(header)).toBe(mimeType))
})
