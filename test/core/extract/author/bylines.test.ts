import { describe, expect, test } from 'bun:test'

import { metadataOf } from '../metadata-of.ts'

const authorOf = (html: string) => metadataOf(html).meta?.author

test.each<[content: string, expected: string | undefined]>([
  ['Jo Doe', 'Jo Doe'],
  ['Analysis by Jo Doe', 'Jo Doe'],
  ['Opinion by Jo Doe', 'Jo Doe'],
  ['Kommentar von Jo Doe', 'Jo Doe'],
  ['Propos recueillis par Jo Doe', 'Jo Doe'],
  ['Opinion Dawe', 'Opinion Dawe'],
  ['Guest Martin', 'Guest Martin'],
  ['Jo Doe III', 'Jo Doe III'],
  // Placeholders of systems.
  ['System Account', undefined],
  ['Guest Author', undefined],
  ['Anonymous (not verified)', undefined],
  ['Your Name Here', undefined],
  ['Contributor', undefined],
  ['Web Admin', undefined],
  ['Администратор', undefined],
  ['管理员', undefined],
  ['관리자', undefined],
  ['undefined undefined', undefined],
  // No names.
  ['2:49 p.m. EDT May 15, 2013', undefined],
  [', The Daily Example', undefined],
  ['content: Example Media, design: Tom Lee, code: Li Wei', undefined],
])('the author %s', (content, expected) => {
  expect(authorOf(`<title>T</title><meta name="author" content="${content}">`)).toBe(expected)
})

describe('a byline', () => {
  test.each<[text: string, lang: string, expected: string | undefined]>([
    ['By Ana Ruiz, Senior Health Reporter', 'en', 'Ana Ruiz'],
    ['By Ana Ruiz, Springfield', 'en', 'Ana Ruiz'],
    ['By Ana Ruiz, Tom Lee', 'en', 'Ana Ruiz, Tom Lee'],
    ['By Ana Ruiz, Tom Lee, Staff Writers', 'en', 'Ana Ruiz, Tom Lee'],
    ['By Ana Ruiz, PhD', 'en', 'Ana Ruiz, PhD'],
    ['By Tom Lee, Jr.', 'en', 'Tom Lee, Jr.'],
    ['โดย สมชาย ใจดี', 'th', 'สมชาย ใจดี'],
    ['लेखक: राहुल शर्मा', 'hi', 'राहुल शर्मा'],
    ['김민수 기자 kim@example.kr', 'ko', '김민수'],
  ])('%s', (text, lang, expected) => {
    expect(authorOf(`<html lang="${lang}"><title>T</title><h1>T</h1><p class="byline">${text}</p>`)).toBe(expected)
  })
})

describe('around the headline', () => {
  test.each<[name: string, html: string, expected: string | undefined]>([
    [
      'a reviewer before the author',
      '<div class="authors"><span>Medically reviewed by <a href="/r/li">Dr. Li Wei</a></span> <span>Written by <a href="/a">Ana Ruiz</a></span></div>',
      'Ana Ruiz',
    ],
    ['only a reviewer', '<p class="byline">Reviewed by <b>Li Wei</b></p>', undefined],
    ['a photographer', '<p class="byline">Photo by Li Wei</p>', undefined],
    ['a translator', '<p class="byline">Übersetzt von Li Wei</p>', undefined],
    ['a label in a list of definitions', '<dl><dt>Author</dt><dd>Ana Ruiz</dd></dl>', 'Ana Ruiz'],
    ['contributors', '<div><strong>Contributors:</strong> Ana Ruiz</div>', 'Ana Ruiz'],
    ['a word for the work and a name after it', '<p>Text</p><a href="/x">Jo Doe</a>', undefined],
    ['a word for the work and its separator', '<p>Text: <a href="/x">Jo Doe</a></p>', 'Jo Doe'],
    ['a topic', '<ul class="topics-and-authors"><li><a href="/tag/finance">Personal Finance</a></li></ul>', undefined],
    ['a link with rel=tag', '<p class="byline"><a rel="tag" href="/x">Health News</a></p>', undefined],
    [
      'a report of a reader',
      '<div class="reports-list"><div class="report-author-name">Max Moe</div></div>',
      undefined,
    ],
    ['the role of a member', '<div class="author-info">Member</div>', undefined],
    ['when a member joined', '<div class="author-registered">Joined: Oct 1999</div>', undefined],
    ['a list of users', '<p class="byline"><a href="/users">User list</a></p>', undefined],
  ])('%s', (_, html, expected) => {
    expect(authorOf(`<title>T</title><h1>Bread</h1>${html}`)).toBe(expected)
  })
})
