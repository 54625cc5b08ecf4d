import { describe, expect, test } from 'bun:test'

import { metadataOf } from '../metadata-of.ts'

describe('the title', () => {
  test.each<[name: string, tags: string, expected: string]>([
    ['a value that its own quotes cut gives way', '<meta property="og:title" content="The "best" bread">', 'Rye bread'],
    ['in apostrophes', `<meta property="og:title" content='Dog's life'>`, 'Rye bread'],
    ['with a quote at its end', '<meta property="og:title" content="A 55" screen">', 'Rye bread'],
    ['a superfluous quote cuts nothing', '<meta property="og:title" content="Toast"" />', 'Toast'],
    ['nor does a superfluous quote after a space', '<meta property="og:title" content="Toast" ">', 'Toast'],
    ['attributes without spaces between them', '<meta content="Toast"property="og:title">', 'Toast'],
    ['an apostrophe in an unquoted value', `<meta content="Toast" property=og:title data-x=it's>`, 'Toast'],
    ['property before name', '<meta name="og:title" content="2"><meta property="og:title" content="Toast">', 'Toast'],
    [
      'the first property',
      '<meta name="og:title" content="2"><meta property="og:title" content="Toast"><meta property="og:title" content="3">',
      'Toast',
    ],
    ['name without property', '<meta name="og:title" content="Toast">', 'Toast'],
  ])('%s', (_, tags, expected) => {
    expect(metadataOf(`<title>Rye bread</title>${tags}`).title).toBe(expected)
  })
})

test.each<[title: string, expected: string | undefined]>([
  ['Bread | Site Magazine', 'Site Magazine'],
  ['Site | Bread', 'Site'],
  ['Site Pro Kit: a set for bakers', undefined],
])('the name of the site in the title %s', (title, expected) => {
  expect(metadataOf(`<title>${title}</title>`).site_name).toBe(expected)
})

test('property takes precedence over name in all tags of Open Graph', () => {
  const tags = (name: string) => `<meta name="og:${name}" content="de_DE"><meta property="og:${name}" content="fr_FR">`
  const found = metadataOf(`<title>T</title>${tags('site_name')}${tags('type')}${tags('locale')}`)
  expect([found.site_name, found.type, found.locale]).toEqual(['fr_FR', 'fr_FR', 'fr_FR'])
})

test.each<[tags: string, expected: string]>([
  ['<meta name="description" content="The "best" bread">', 'The'],
  ['<meta name="description" content="The "best" bread"><meta name="twitter:description" content="Rye.">', 'Rye.'],
])('of a description that its own quotes cut, the start is better than none: %s', (tags, expected) => {
  expect(metadataOf(`<title>T</title>${tags}`).description).toBe(expected)
})
