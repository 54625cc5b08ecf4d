import { describe, expect, test } from 'bun:test'

import { metadataOf } from '../metadata-of.ts'

interface Teaser {
  day: string
  name: string
}

const NAMES = ['Ana Ruiz', 'Tom Lee', 'Li Wei']
const TEXT = 'Some words about bread. '.repeat(20)

const teasers = (days: readonly string[], teaser: (one: Teaser) => string) =>
  days.map((day, i) => teaser({ day, name: NAMES[i % NAMES.length]! })).join('')

const DESCENDING = ['2024-05-02', '2024-04-28', '2024-04-20']
const ASCENDING = DESCENDING.toReversed()

const card = ({ day, name }: Teaser) =>
  `<div class="card"><h2><a href="/${day}">Post</a></h2><p>${TEXT}</p>
  <a rel="author" href="/author/${name.split(' ', 1)[0]}">${name}</a> <time datetime="${day}">${day}</time></div>`
const row = ({ day, name }: Teaser) =>
  `<tr><td><a href="/t/${day}">A topic</a><p>${TEXT}</p><td><span class="author">${name}</span><td class="date">${day}</td></tr>`
const named = ({ name }: Teaser) =>
  `<div><h3><a href="/s">Story</a></h3><p>${TEXT}</p><span class="byline">By ${name}</span></div>`
const post = ({ day, name }: Teaser) =>
  `<div class="post"><h3><a href="#p">Re: Bread</a></h3><span class="author">${name}</span> <time datetime="${day}">${day}</time><p>${TEXT}</p></div>`

const OWN = '<p class="byline">By Jo Doe</p><time datetime="2023-01-09">January 9</time>'

describe('authors and dates of teasers are not those of the page', () => {
  test.each<[name: string, body: string]>([
    ['cards with the latest first', teasers(DESCENDING, card)],
    ['rows of a table', `<table>${teasers(DESCENDING, row)}</table>`],
    ['cards with names only', teasers(DESCENDING, named)],
    ['of the headline of a section', `<p>All our stories.</p>${teasers(DESCENDING, card)}`],
  ])('%s', (_, body) => {
    const { meta } = metadataOf(`<title>Blog</title><h1>Blog</h1>${body}`)
    expect([meta?.author, meta?.published_time]).toEqual([undefined, undefined])
  })

  test.each<[type: string, members: string]>([
    ['Blog', '"blogPost":[{"@type":"BlogPosting","datePublished":"2026-01-02"}]'],
    ['CollectionPage', '"name":"Stories"'],
    ['SearchResultsPage', '"name":"Results"'],
    ['Product', '"name":"Lamp"'],
  ])('a page with the type %s', (type, members) => {
    const script = `<script type="application/ld+json">{"@type":"${type}",${members}}</script>`
    const { meta } = metadataOf(`<title>Lamp</title>${script}<h1>Lamp</h1><div>${OWN}</div>`)
    expect([meta?.author, meta?.published_time]).toEqual([undefined, undefined])
  })
})

describe('an article keeps its own', () => {
  test.each<[name: string, body: string]>([
    ['with related articles', `${OWN}<p>${TEXT.repeat(20)}</p>${teasers(DESCENDING, card)}`],
    ['directly above related articles', `${OWN}<p>${TEXT.repeat(2)}</p>${teasers(DESCENDING, card)}`],
    ['with comments', `${OWN}<p>${TEXT.repeat(2)}</p>${teasers(ASCENDING, post)}`],
  ])('%s', (_, body) => {
    const { meta } = metadataOf(`<title>Bread</title><h1>Bread</h1>${body}`)
    expect([meta?.author, meta?.published_time]).toEqual(['Jo Doe', '2023-01-09'])
  })

  test('above the headline, before related articles', () => {
    const { meta } = metadataOf(
      `<title>Bread</title><div>${OWN}</div><h1>Bread</h1><p>${TEXT}</p>${teasers(DESCENDING, card)}`,
    )
    expect([meta?.author, meta?.published_time]).toEqual(['Jo Doe', '2023-01-09'])
  })

  test('as the first post of a thread', () => {
    const { meta } = metadataOf(`<title>Bread</title><h1>Bread</h1>${teasers(ASCENDING, post)}`)
    expect([meta?.author, meta?.published_time]).toEqual(['Ana Ruiz', '2024-04-20'])
  })

  test('of several authors', () => {
    const names = NAMES.map((name) => `<a rel="author" href="/author/x">${name}</a>`).join(', ')
    expect(metadataOf(`<title>Bread</title><h1>Bread</h1><p>${names}</p>`).meta?.author).toBe(NAMES.join(', '))
  })

  test('with an Article beside a Product in JSON-LD', () => {
    const script = '<script type="application/ld+json">[{"@type":"Product"},{"@type":"Article"}]</script>'
    expect(metadataOf(`<title>Lamp</title>${script}<h1>Lamp</h1>${OWN}`).meta?.author).toBe('Jo Doe')
  })
})
