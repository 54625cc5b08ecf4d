import { authorLink, byline, hCardAuthor } from './bylines.ts'
import { isAuthorLabel } from '../sources/byline-words.ts'
import {
  citationAuthors,
  itempropAuthors,
  jsonLdAuthor,
  jsonLdCreator,
  linkTitle,
  meta,
  metaAuthors,
  metas,
  metaValue,
  type Source,
} from '../sources/sources.ts'

/** The first label and text of a Twitter card. WordPress plugins put the author there. */
const labeledAuthor: Source = {
  label: 'twitter:data1',
  metaNames: ['twitter:label1', 'twitter:data1', 'twitter:data2'],
  find(page, normalize) {
    const text = (name: string) => page.meta(name, (value) => value.trim() || undefined)
    const label = text('twitter:label1')?.toLowerCase()
    const data = text('twitter:data1')
    if (label === undefined || data === undefined) return undefined
    // The same plugins write the reading time in the second pair, in any language: "5 minutes".
    const isBesideReadingTime = /^\d{1,3} \p{L}+/u.test(text('twitter:data2') ?? '') && !/\d/.test(data)
    return isAuthorLabel(label) || isBesideReadingTime ? normalize(data) : undefined
  },
}

/** Metadata first, then marked elements of the body, then visible text. */
export const AUTHOR_SOURCES: readonly Source[] = [
  jsonLdAuthor,
  metaAuthors('article:author'),
  metaAuthors('author'),
  ...metas('article:author:name og:article:author og:author book:author'),
  ...'citation_author citation_authors'.split(' ').map(citationAuthors),
  ...'dc.creator dcterms.creator parsely-author sailthru.author cXenseParse:author'.split(' ').map(metaAuthors),
  meta('branch:deeplink:authorName1'),
  labeledAuthor,
  meta('byl'),
  jsonLdCreator,
  metaValue('article:author'),
  metaValue('author'),
  itempropAuthors,
  linkTitle('author'),
  authorLink,
  hCardAuthor,
  byline,
]
