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
const small = ({ day, name }: Teaser) =>
  `<article><h2><a href="/1">Post</a></h2><span class="author">By ${name}</span><time datetime="${day}">${day}</time><p>Some text.</p></article>`
const named = ({ name }: Teaser) =>
  `<div><h3><a href="/s">Story</a></h3><p>${TEXT}</p><span class="byline">By ${name}</span></div>`
const post = ({ day, name }: Teaser) =>
  `<div class="post"><h3><a href="#p">Re: Bread</a></h3><span class="author">${name}</span> <time datetime="${day}">${day}</time><p>${TEXT}</p></div>`

const OWN = '<p class="byline">By Jo Doe</p><time datetime="2023-01-09">January 9</time>'

describe('authors and dates of teasers are not those of the page', () => {
  test.each<[name: string, body: string]>([
    ['cards with the latest first', teasers(DESCENDING, card)],
    ['rows of a table', `<table>${teasers(DESCENDING, row)}</table>`],
    ['cards directly after the headline', teasers(DESCENDING, small)],
    ['cards with names only', teasers(DESCENDING, named)],
    ['of the headline of a section', `<p>All our stories.</p>${teasers(DESCENDING, card)}`],
  ])('%s', (_, body) => {
    const { meta } = metadataOf(`<title>Blog</title><h1>Blog</h1>${body}`)
    expect([meta?.author, meta?.published_time]).toEqual([undefined, undefined])
  })

  test.each<[name: string, script: string]>([
    ['CollectionPage', '{"@type":"CollectionPage","name":"Stories"}'],
    ['SearchResultsPage', '{"@type":"SearchResultsPage"}'],
    ['Blog with posts', '{"@type":"Blog","blogPost":[{"@type":"BlogPosting","datePublished":"2026-01-02"}]}'],
  ])('on a page with the type %s', (_, script) => {
    const html = `<title>T</title><script type="application/ld+json">${script}</script>`
    for (const body of [`<h1>T</h1><div>${OWN}</div>`, `<div>${OWN}</div><h1>T</h1>`]) {
      const { meta } = metadataOf(html + body)
      expect([meta?.author, meta?.published_time]).toEqual([undefined, undefined])
    }
  })
})

describe('the page of a product', () => {
  const product =
    '<title>Lamp</title><script type="application/ld+json">{"@type":"Product","name":"Lamp"}</script><h1>Lamp</h1>'

  test('has no author or date of a review', () => {
    const review =
      '<div class="review"><span class="author">Joe Buyer</span><time datetime="2024-03-01">March 1</time></div>'
    const { meta } = metadataOf(`${product}<p>${TEXT}</p>${review}`)
    expect([meta?.author, meta?.published_time]).toEqual([undefined, undefined])
  })

  test('has the author of a test of the product', () => {
    expect(metadataOf(`${product}${OWN}`).meta?.author).toBe('Jo Doe')
  })

  test.each(['{"@type":"Recipe"}', '{"@type":"Article"}', '{"@type":"Product","name":"Another"}'])(
    'is none with %s',
    (other) => {
      const html = `<title>Lamp</title><script type="application/ld+json">[{"@type":"Product"},${other}]</script><h1>Lamp</h1>`
      expect(metadataOf(`${html}${OWN}`).meta?.published_time).toBe('2023-01-09')
    },
  )
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

  const dated = (word: string, day: string) =>
    `<p class="text-sm text-gray-600 flex items-center gap-2 mt-1 leading-5">${word} <time class="font-medium" datetime="${day}">${day}</time></p>`

  test('among lines with other dates', () => {
    const lines = dated('Reviewed', '2023-01-07') + dated('Checked', '2023-01-05')
    expect(metadataOf(`<title>Bread</title><h1>Bread</h1>${OWN}${lines}`).meta?.published_time).toBe('2023-01-09')
  })

  test('with comments of which the latest is the first', () => {
    const comment = ({ day, name }: Teaser) =>
      `<div class="kommentar"><a href="/u/1">${name}</a> <time datetime="${day}">${day}</time><p>${TEXT}</p></div>`
    const html = `<title>Brot</title><h1>Brot</h1>${OWN}<p>${TEXT}</p>${teasers(DESCENDING, comment)}`
    expect(metadataOf(html).meta).toEqual({ author: 'Jo Doe', published_time: '2023-01-09' })
  })

  test('with a table of days', () => {
    const rows = DESCENDING.map((day) => `<p><time datetime="${day}">${day}</time> ${TEXT}</p>`).join('')
    expect(metadataOf(`<title>Bread</title><h1>Bread</h1><p class="byline">By Jo Doe</p>${rows}`).meta?.author).toBe(
      'Jo Doe',
    )
  })

  test('with many elements that look like times', () => {
    const times = '<i class="recipe-time">9</i>'.repeat(40)
    const html = `<title>Bread</title><h1>Bread</h1>${times}<a rel="author" href="/author/jo">Jo Doe</a>`
    expect(metadataOf(html).meta?.author).toBe('Jo Doe')
  })

  test('with cards of its authors', () => {
    const cards = NAMES.map((name) => `<h4 class="author">${name}</h4><p>${TEXT}</p>`).join('')
    expect(metadataOf(`<title>Bread</title><h1>Bread</h1>${cards}`).meta?.author).toBe(NAMES[0]!)
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
})
