import { expect, test } from 'bun:test'

import { metadataOf } from '../metadata-of.ts'

const read = (tags: string, lang = '') => metadataOf(`<html lang="${lang}"><title>T</title>${tags}`)

test.each<[value: string, expected: string | undefined]>([
  ['@jo', '@jo'],
  ['jo_doe', 'jo_doe'],
  ['@@jo', '@jo'],
  [' @Jo ', '@Jo'],
  ['@https://twitter.com/jo', '@jo'],
  ['https://x.com/jo?lang=en', '@jo'],
  ['//mobile.twitter.com/jo/', '@jo'],
  ['https://twitter.com/#!/jo', '@jo'],
  ['twitter.com/@jo', '@jo'],
  ['@', undefined],
  ['@undefined', undefined],
  ['null', undefined],
  ['https://twitter.com/', undefined],
  ['https://www.facebook.com/jo', undefined],
  ['Example Site', 'Example Site'],
  ['@name_of_more_than_20_characters', undefined],
])('the handle in %s', (value, expected) => {
  expect(read(`<meta name="twitter:site" content="${value}">`).twitter_card?.site).toBe(expected)
})

test.each<[value: string, expected: string | undefined]>([
  ['summary', 'summary'],
  ['Summary_Large_Image', 'summary_large_image'],
  ['player', 'player'],
  ['How to bake bread', undefined],
])('the card %s', (value, expected) => {
  expect(read(`<meta name="twitter:card" content="${value}">`).twitter_card?.card).toBe(expected)
})

const og = (locale: string) => `<meta property="og:locale" content="${locale}">`
const pragma = (language: string) => `<meta http-equiv="Content-Language" content="${language}">`
const jsonLd = '<script type="application/ld+json">{"@type":"Article","inLanguage":"sv-SE"}</script>'

test.each<[name: string, tags: string, lang: string, expected: string | undefined]>([
  ['as it should be', og('zh_Hant_TW'), 'tr', 'zh_Hant_TW'],
  ['a language', og('fr'), 'tr', 'fr'],
  ['lower case', og('en_us'), 'tr', 'en_us'],
  ['a hyphen', og('fr-FR'), 'tr', 'fr_FR'],
  ['an encoding', og('en_US.UTF-8'), 'tr', 'en_US'],
  ['an address', og('https://site.test/x'), 'tr', 'tr'],
  ['no territory', og('en_'), 'tr', 'tr'],
  ['an extended language', '', 'zh-cmn-Hans-CN', 'zh_Hans_CN'],
  ['no particular language', '', 'und', undefined],
  ['content-language', pragma('de-DE'), '', 'de_DE'],
  ['several languages', pragma('de, en'), '', undefined],
  ['lang before content-language', pragma('de-DE'), 'tr', 'tr'],
  ['JSON-LD', jsonLd, '', 'sv_SE'],
])('the locale from %s', (_, tags, lang, expected) => expect(read(tags, lang).locale).toBe(expected))
