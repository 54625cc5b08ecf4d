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
  // Names that begin or end like a label or a preposition.
  ['Wang Di', 'Wang Di'],
  ['Di Wang, Jo Doe', 'Di Wang, Jo Doe'],
  ['Da Silva, Jo Doe', 'Da Silva, Jo Doe'],
  ['Oleh Koval, Ann Roe', 'Oleh Koval, Ann Roe'],
  ['Data Science Central', 'Data Science Central'],
  ['Home Depot Canada', 'Home Depot Canada'],
  ['Location Scout Magazine', 'Location Scout Magazine'],
  ['Registered Dietitian Jo Doe', 'Registered Dietitian Jo Doe'],
  ['Edited by Jo Doe', undefined],
  ['Vérifié par Jo Doe', undefined],
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
    [
      'a linked reviewer',
      '<p class="byline">By <a href="/author/jo">Jo Doe</a>. Reviewed by <a href="/author/li">Li Wei</a></p>',
      'Jo Doe',
    ],
    [
      'a linked reviewer first',
      '<p class="byline">Reviewed by <a href="/author/li">Li Wei</a>. By <a href="/author/jo">Jo Doe</a></p>',
      'Jo Doe',
    ],
    ['an author with a page about a topic', '<p class="byline">By <a href="/topics/jo-doe">Jo Doe</a></p>', 'Jo Doe'],
    ['the form to sign in', '<div class="mod-login__username"><label>Username</label></div>', undefined],
    ['a link to sign in', '<a class="username" href="/login">Login</a><p>By Jo Doe</p>', 'Jo Doe'],
    ['a hint', '<span class="username-hint">required</span>', undefined],
    ['the account of the author', '<span class="username">kim_p</span>', 'kim_p'],
    ['the account of a reader', `<p>${'Text. '.repeat(1_000)}</p><span class="username">kim_p</span>`, undefined],
    ['a placeholder before a byline', '<span class="author">admin</span><p class="byline">By Jo Doe</p>', 'Jo Doe'],
    ['a department before a byline', '<span class="author">webteam</span><p class="byline">By Jo Doe</p>', 'Jo Doe'],
    [
      'a label before a byline',
      '<div class="byline"><span>Updated</span> <span>yesterday</span> <span>By Jo Doe</span></div>',
      'Jo Doe',
    ],
    ['the heads of columns', '<table><tr><th>Author</th><th>Title</th></tr></table>', undefined],
    ['tabs', '<a href="/a">Contributors</a> <a href="/c">Commits</a>', undefined],
    [
      'a class for a list with authors',
      '<ul class="has-dates has-author"><li><a href="/rye">Rye Wins</a></li></ul>',
      undefined,
    ],
    ['a list of users', '<p class="byline"><a href="/users">User list</a></p>', undefined],
  ])('%s', (_, html, expected) => {
    expect(authorOf(`<title>T</title><h1>Bread</h1>${html}`)).toBe(expected)
  })
})

describe('parts of a page', () => {
  test.each<[name: string, html: string, expected: string | undefined]>([
    [
      'an article in a category',
      '<h1>Rye</h1><article class="post category-reports"><p class="byline">By Jo Doe</p></article>',
      'Jo Doe',
    ],
    [
      'a widget beside the headline',
      '<div class="page-columns sidebar"><div class="widget recent-posts"><p class="post-author">Max Moe</p></div><h1>Rye</h1></div>',
      undefined,
    ],
    [
      'a byline beside the headline',
      '<div class="nav-expanded"><p class="byline">By Jo Doe</p><h1>Rye</h1></div>',
      'Jo Doe',
    ],
  ])('%s', (_, html, expected) => {
    expect(authorOf(`<title>Rye</title>${html}`)).toBe(expected)
  })
})

describe('the date of publication', () => {
  test.each<[name: string, html: string, expected: string | undefined]>([
    [
      'before a date of a change in the same element',
      '<span class="posted-on"><time class="updated" datetime="2024-05-01">May 1</time><time class="published" datetime="2024-01-05">January 5</time></span>',
      '2024-01-05',
    ],
    ['of a link to a topic', '<p class="date"><a href="/topic/12/x">May 3, 2024</a></p>', '2024-05-03'],
    ['not of a registration', '<div class="author">Kim Park <span>Member since May 3, 2019</span></div>', undefined],
    [
      'in one of several properties',
      '<span property="dc:date dc:created" content="2014-04-02">Wed</span>',
      '2014-04-02',
    ],
  ])('%s', (_, html, expected) => {
    expect(metadataOf(`<html lang="en"><title>Rye</title>${html}`).meta?.published_time).toBe(expected)
  })
})
