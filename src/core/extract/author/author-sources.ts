import { authorLink, byline, hCardAuthor } from './bylines.ts'
import { labeledAuthor } from './labeled-author.ts'
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
